from __future__ import annotations

import pytest

from backend.access.passwords import hash_password, is_password, new_password


def test_a_password_is_known_again_and_no_other() -> None:
    stored = hash_password("correct horse ✓")
    assert is_password("correct horse ✓", stored)
    assert not is_password("correct horse", stored)
    assert not is_password("", stored)


def test_only_a_salted_scrypt_hash_is_stored() -> None:
    one, other = hash_password("correct horse"), hash_password("correct horse")
    assert one != other
    assert one.startswith("scrypt$15$8$3$")
    assert "horse" not in one


@pytest.mark.parametrize("password", ["", "correct horse", "\0"])
def test_who_has_no_password_is_not_signed_in_with_any(password: str) -> None:
    assert not is_password(password, "")


def test_hashes_of_other_costs_stay_good() -> None:
    """The test vector of RFC 7914, section 12, cut to 32 bytes."""
    vector = "scrypt$14$8$1$U29kaXVtQ2hsb3JpZGU=$cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofI="
    assert is_password("pleaseletmein", vector)
    assert not is_password("pleaseletmeout", vector)


def test_made_passwords_are_long_and_differ() -> None:
    made = {new_password() for _ in range(50)}
    assert len(made) == 50
    assert all(len(password.replace("-", "")) == 20 for password in made)
