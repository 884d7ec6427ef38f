"""The contestants of `bench.engine`, each a process of its own, and what they work on.

Those that run beside other packages than ours import nothing but the standard library
and the package that they are about.
"""
