"""What no page that threadmed writes shows, whatever the text holds."""

UNSHOWN = dict.fromkeys(
    (
        *(code for code in range(0x20) if chr(code) not in "\t\n\r"),
        0x7F,
        *range(0x202A, 0x202F),
        *range(0x2066, 0x206A),
    ),
    "\N{REPLACEMENT CHARACTER}",
)
"""Control characters, and those that turn the direction of all that follows: HTML has
no place for the first, and the second would let a post rearrange the page."""
