"""Texts that hold keys: every value goes, wherever it stands, and harmless texts stay as they are."""

import pytest

from backend.forensics.credential_text import cleared_line, hold_credentials

KEY, SECRET = "ASIAQWERTYUIOPASDFGH", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
TOKEN = "eyJhbGciOiJSUzI1NiIsImtpZCI6IjEyMyJ9.eyJpc3MiOiJrdWJlcm5ldGVzIn0.c2lnbmF0dXJl"

TEXTS = {
    "curl": f"> GET /latest/meta-data/iam/security-credentials/role HTTP/1.1\n> X-aws-ec2-metadata-token: {TOKEN}\n"
    f'< HTTP/1.1 200 OK\n{{\n  "AccessKeyId" : "{KEY}",\n  "SecretAccessKey" : "{SECRET}",\n"Token" :\n"{TOKEN}"}}',
    "tcpdump -A": "12:00:01.000001 IP 10.0.0.5.40000 > 10.1.2.3.80: Flags [P.], length 90\nE..Z....@....\n"
    f"Authorization: Bearer {TOKEN}\n{SECRET}\n",
    "tcpdump -X": "\t0x0030:  7774 4a61 6c72 5855 746e 4645 4d49 2f4b  wtJalrXUtnFEMI/K\n"
    "\t0x0040:  374d 4445 4e47 2b62 5078 5266 6943 5945  7MDENG+bPxRfiCYE\n",
    "strace": f'read(7, "{{\\"AccessKeyId\\" : \\"{KEY}\\",\\n\\"SecretAccessKey\\":\\"{SECRET}\\"", 4096) = 90 <0.1>\n'
    f'recvfrom(7, "{SECRET[:20]}", 20, 0, NULL, NULL) = 20 <0.000100>',
    "kubectl": f"apiVersion: v1\nkind: Secret\ndata:\n  password: Y29ycmVjdGhvcnNlYmF0dGVyeQ==\n  key: {SECRET}\n",
    "json": f'{{"kind": "Secret", "data": {{"p": "{SECRET}"}}}}',
    "password": "password: p@ss!w0rd#1 is-it\n",
}
SECRETS = (
    KEY, SECRET, TOKEN, "Y29ycmVjdGhvcnNlYmF0dGVyeQ==", "wtJalrXU", "7MDENG+b", "374d 4445", "p@ss!w0rd#1"
)  # fmt: skip


@pytest.mark.promise("Keys in texts that are pasted or uploaded are shown nowhere.")
@pytest.mark.parametrize("name", list(TEXTS))
def test_no_piece_of_a_key_is_left(name: str) -> None:
    lines = TEXTS[name].splitlines()
    assert hold_credentials(lines)
    cleared = [cleared_line(line) for line in lines]
    pieces = {secret[at : at + 8] for secret in SECRETS for at in range(len(secret) - 7)}
    assert [piece for piece in pieces if any(piece in line for line in cleared)] == []
    assert [len(line) for line in cleared] == [len(line) for line in lines]


HARMLESS = (
    "tcp      6 431999 ESTABLISHED src=10.0.0.5 dst=169.254.169.254 sport=40000 dport=80 [ASSURED] mark=0 use=1",
    "-A PREROUTING -d 169.254.169.254/32 -p tcp -m tcp --dport 80 -j DNAT --to-destination 10.0.0.7:8181",
    "00008e78 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000",
    "cpu=0   	found=0 invalid=3 insert=0 insert_failed=12 drop=12 early_drop=0 error=0 search_restart=24",
    " 1024:   12   34   56   78   PCI-MSI 524288-edge      eth0-rx-0",
    "    TCPTimeouts: 17",
)


@pytest.mark.parametrize("line", HARMLESS)
def test_what_kernels_print_is_no_sign(line: str) -> None:
    assert not hold_credentials([line])


def test_what_kernels_print_beside_keys_can_still_be_read() -> None:
    assert cleared_line(HARMLESS[0]) == HARMLESS[0]
    assert "insert_failed=12 drop=12" in cleared_line(HARMLESS[3])
