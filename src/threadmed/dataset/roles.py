"""Whose words are answers: roles by flair, each flair looked at once; pure."""

from threadmed.dataset.flair import Role, role_of
from threadmed.dataset.options import BuildOptions


class Roles:
    """Roles by flair as a build's options have them."""

    def __init__(self, options: BuildOptions) -> None:
        self._options = options
        self._known: dict[str, Role] = {}
        self.answers_by_flair = _Answers(self, options)
        """What `answers` says of any flair, for those who ask of many comments."""

    def of(self, flair: str) -> Role:
        """Give the role of a flair."""
        found = self._known.get(flair)
        if found is None:
            found = self._known[flair] = role_of(
                flair,
                physicians_also=self._options.physicians_also,
                dual_role=self._options.dual_role,
                overrides=self._options.flair_roles,
            )
        return found

    def answers(self, flair: str) -> bool:
        """Whether the words of people with this flair are answers."""
        return self.answers_by_flair[flair]


class _Answers(dict[str, bool]):
    """Whether the words of people with a flair are answers, found out once."""

    def __init__(self, roles: Roles, options: BuildOptions) -> None:
        super().__init__()
        self._roles = roles
        self._answering = (
            {"physician"}
            if options.roles == "physician"
            else {"physician", "clinician"}
        )

    def __missing__(self, flair: str) -> bool:
        found = self[flair] = self._roles.of(flair) in self._answering
        return found
