"""Which SDK called the metadata service, by its user agent, and how early it refreshes credentials.

Windows are those of the SDKs' sources; where a source was not read the window is not known and not stated."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Sdk:
    """An SDK. `window_s`: it refreshes credentials that have less left than this, None where that is not known or is
    no fixed time."""

    name: str
    version: str
    window_s: int | None
    source: str
    """Where the window is written, or why there is none."""

    @property
    def label(self) -> str:
        return f"{self.name} {self.version}".strip()


_RULES: tuple[tuple[str, str, int | None, str], ...] = (
    (
        r"aws-sdk-java/(1\.[\w.]+)",
        "AWS SDK for Java",
        900,
        "aws-sdk-java: BaseCredentialsFetcher refreshes when less than 15 min are left (issues 1893, 1921)",
    ),
    (
        r"aws-sdk-java/(2\.[\w.]+)",
        "AWS SDK for Java",
        None,
        "aws-sdk-java-v2: instance metadata credentials are fetched again after half their time, 5 min at least",
    ),
    (
        r"\bbotocore[/#](\d[\w.]*)",
        "botocore",
        900,
        "botocore credentials.py: advisory refresh when less than 15 min are left, mandatory 10 min",
    ),
    (
        r"aws-sdk-go-v2/(\d[\w.]*)",
        "AWS SDK for Go",
        300,
        "aws-sdk-go-v2 config resolver: expiry window of 5 min",
    ),
    (
        r"aws-sdk-go/(1\.[\w.]+)",
        "AWS SDK for Go",
        0,
        "aws-sdk-go: no early refresh unless ExpiryWindow is set",
    ),
    (r"aws-sdk-ruby3/(\d[\w.]*)", "AWS SDK for Ruby", 300, "aws-sdk-ruby v3: refreshes 5 min before expiry"),
    (
        r"aws-sdk-js/(3\.[\w.]+)",
        "AWS SDK for JavaScript",
        300,
        "aws-sdk-js-v3: refreshes 5 min before expiry",
    ),
    (r"aws-sdk-nodejs/(2\.[\w.]+)", "AWS SDK for JavaScript", 15, "aws-sdk-js v2: expiry window of 15 s"),
    (r"aws-sdk-php/(\d[\w.]*)", "AWS SDK for PHP", None, "not read far enough to state a window"),
    (r"aws-sdk-rust/(\d[\w.]*)", "AWS SDK for Rust", None, "not established"),
    (r"aws-sdk-dotnet[\w-]*/(\d[\w.]*)", "AWS SDK for .NET", None, "not established"),
    (r"aws-sdk-cpp/(\d[\w.]*)", "AWS SDK for C++", None, "not established"),
)
_COMPILED = tuple(
    (re.compile(pattern, re.IGNORECASE), name, window_s, source) for pattern, name, window_s, source in _RULES
)


def sdk_of(user_agent: str) -> Sdk | None:
    """The SDK that the user agent names, None for others."""
    for pattern, name, window_s, source in _COMPILED:
        found = pattern.search(user_agent)
        if found:
            return Sdk(name, found.group(1), window_s, source)
    return None
