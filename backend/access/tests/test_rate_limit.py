from __future__ import annotations

import threading
from dataclasses import dataclass

import pytest

from backend.access.rate_limit import PASSWORD, SECRET, RateLimiter, client_key
from backend.errors import Gone, Refused, SignInNeeded, TooManyAttempts


@dataclass
class Clock:
    now_s: float = 1000.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def limiter(clock: Clock) -> RateLimiter:
    return RateLimiter(clock=clock)


def wrong(limiter: RateLimiter, address: str, subject: str, kind: str = "password") -> None:
    with pytest.raises(SignInNeeded), limiter.attempt(kind, address, subject):
        raise SignInNeeded("wrong")


def right(limiter: RateLimiter, address: str, subject: str, kind: str = "password") -> None:
    with limiter.attempt(kind, address, subject):
        pass


def test_an_address_has_so_many_wrong_guesses_and_not_one_more(limiter: RateLimiter, clock: Clock) -> None:
    for number in range(PASSWORD.per_address.wrong - 1):
        wrong(limiter, "192.0.2.1", f"name {number}")
    right(limiter, "192.0.2.1", "ann")
    wrong(limiter, "192.0.2.1", "ann")
    with pytest.raises(TooManyAttempts) as refused:
        right(limiter, "192.0.2.1", "ann")
    assert refused.value.retry_after_s == PASSWORD.per_address.within_s
    right(limiter, "192.0.2.2", "ann")
    right(limiter, "192.0.2.1", "ann", kind="token")
    clock.now_s += PASSWORD.per_address.within_s - 0.5
    with pytest.raises(TooManyAttempts) as refused:
        right(limiter, "192.0.2.1", "ann")
    assert refused.value.retry_after_s == 1
    clock.now_s += 0.5
    right(limiter, "192.0.2.1", "ann")


def test_a_subject_has_so_many_from_all_addresses_together(limiter: RateLimiter) -> None:
    for number in range(PASSWORD.per_subject.wrong - 1):
        wrong(limiter, f"192.0.2.{number}", "ann")
    right(limiter, "198.51.100.1", "ann")
    wrong(limiter, "198.51.100.1", "ann")
    with pytest.raises(TooManyAttempts):
        right(limiter, "203.0.113.1", "ann")
    right(limiter, "203.0.113.1", "bob")


@pytest.mark.parametrize("kind", ["token", "share"])
def test_secrets_have_a_threshold_too(limiter: RateLimiter, kind: str) -> None:
    for _ in range(SECRET.per_address.wrong):
        with pytest.raises(Refused), limiter.attempt(kind, "192.0.2.1", "3f2a"):
            raise Refused("wrong")
    with pytest.raises(TooManyAttempts):
        right(limiter, "192.0.2.1", "3f2a", kind)


@pytest.mark.parametrize("kind", ["password", "share"])
def test_only_what_is_refused_counts(limiter: RateLimiter, kind: str) -> None:
    for _ in range(PASSWORD.per_subject.wrong + SECRET.per_subject.wrong):
        with pytest.raises(Gone), limiter.attempt(kind, "192.0.2.1", "3f2a"):
            raise Gone("ended")
        right(limiter, "192.0.2.1", "3f2a", kind)
    assert limiter.remembered() == 0


def test_guesses_at_the_same_time_do_not_slip_in(limiter: RateLimiter) -> None:
    heard, refused = [], []
    start = threading.Barrier(25)

    def attempt() -> None:
        start.wait()
        try:
            with limiter.attempt("password", "192.0.2.1", "ann"):
                heard.append(1)
                start.wait()
                raise SignInNeeded("wrong")
        except TooManyAttempts:
            refused.append(1)
            start.wait()
        except SignInNeeded:
            pass

    threads = [threading.Thread(target=attempt) for _ in range(25)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(heard), len(refused)) == (PASSWORD.per_address.wrong, 25 - PASSWORD.per_address.wrong)


def test_memory_is_bounded_and_the_busiest_stay(clock: Clock) -> None:
    limiter = RateLimiter(entries=50, clock=clock)
    for number in range(PASSWORD.per_address.wrong):
        wrong(limiter, "192.0.2.1", f"name {number}")
        for other in range(40):
            wrong(limiter, f"10.{number}.0.{other}", f"{number} {other}")
    assert limiter.remembered() == 50
    with pytest.raises(TooManyAttempts):
        right(limiter, "192.0.2.1", "ann")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.1", "192.0.2.2", False),
        ("192.0.2.1", "::ffff:192.0.2.1", True),
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("fe80::1%eth0", "fe80::2%eth1", True),
        ("testclient", "testclient", True),
    ],
)
def test_a_client_is_an_address_or_a_network_of_ipv6(one: str, other: str, same: bool) -> None:
    assert (client_key(one) == client_key(other)) is same
