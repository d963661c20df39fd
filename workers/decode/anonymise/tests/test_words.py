from hypothesis import given, settings
from hypothesis import strategies as st

from workers.decode.anonymise.pseudonyms import Pseudonyms
from workers.decode.anonymise.words import WordCipher, is_kept

CIPHER = WordCipher(b"k" * 32)
ANYBODY = Pseudonyms(b"d" * 32)


def form(word: str) -> str:
    return "".join("9" if c.isdigit() else "A" if c.isupper() else "a" if c.islower() else c for c in word)


@settings(max_examples=40, deadline=None)
@given(st.from_regex(r"[a-zA-Z0-9_-]{1,30}", fullmatch=True))
def test_a_word_keeps_its_length_and_what_stands_where(word: str) -> None:
    assert form(CIPHER.word(word)) == form(word)


def test_no_two_words_become_one() -> None:
    for words in ([f"{n:02d}" for n in range(100)], [f"{a}{b}" for a in "abcdefghijkl" for b in "xyz"]):
        assert len({CIPHER.word(word) for word in words}) == len(words)


def test_a_hexadecimal_number_stays_one() -> None:
    assert set(CIPHER.word("4bf92f3577b34da6a3ce929d0e0e4736")) <= set("0123456789abcdef")


def test_words_of_kernels_and_protocols_stay_and_are_never_made() -> None:
    assert ANYBODY.word("ESTABLISHED") == "ESTABLISHED"
    assert not any(is_kept(CIPHER.word(f"q{a}{b}")) for a in "abcdefghij" for b in "klmnopqrst")


def test_names_keep_their_labels_and_the_ends_that_everybody_has() -> None:
    name = ANYBODY.name("checkout.shop.svc.cluster.local")
    assert name.endswith(".svc.cluster.local")
    assert [len(label) for label in name.split(".")][:2] == [8, 4]
    assert "checkout" not in name
    assert ANYBODY.name("Checkout.shop.example.com").lower().split(".")[0] == name.split(".")[0]


def test_paths_of_metadata_services_are_told_but_not_the_role() -> None:
    path = "/latest/meta-data/iam/security-credentials/shop-checkout-role"
    shown = ANYBODY.target(path)
    assert shown.startswith("/latest/meta-data/iam/security-credentials/")
    assert "checkout" not in shown
    assert len(shown) == len(path)


def test_a_reverse_name_does_not_tell_the_address() -> None:
    assert not ANYBODY.name("17.113.0.203.in-addr.arpa").startswith("17.113")
