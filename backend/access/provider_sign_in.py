"""Sign in at an identity provider: OpenID Connect Core 1.0, code flow with PKCE (RFC 7636), state and nonce.

What belongs to one attempt is kept in a cookie of that browser for ten minutes, so that no other browser can end it.
"""

from __future__ import annotations

import math
import secrets
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx2
import joserfc.errors
from authlib.integrations.base_client import OAuthError
from authlib.integrations.httpx_client import OAuth2Client
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.jwk import KeySet
from joserfc.jws import JWSRegistry

from backend.access.provider_settings import Provider
from backend.errors import Refused, Unavailable

TIMEOUT_S = 10.0
LEEWAY_S = 60
METADATA_LASTS_S = 3600.0
SIGNATURES = (
    "RS256",
    "RS384",
    "RS512",
    "PS256",
    "PS384",
    "PS512",
    "ES256",
    "ES384",
    "ES512",
    "EdDSA",
    "Ed25519",
)
"""By a key of the provider's own. Not `none`, and not HS256, whose key would be our secret."""
ENDPOINTS = ("authorization_endpoint", "token_endpoint", "jwks_uri")


@dataclass(frozen=True)
class Attempt:
    """What one browser began."""

    state: str
    nonce: str
    verifier: str

    @classmethod
    def new(cls) -> Attempt:
        """Random throughout."""
        return cls(secrets.token_urlsafe(32), secrets.token_urlsafe(32), secrets.token_urlsafe(48))


class ProviderSignIn:
    """The conversation with one provider; safe for threads."""

    def __init__(self, provider: Provider) -> None:
        self.provider = provider
        self._metadata: dict[str, Any] = {}
        self._read_at_s = -math.inf
        self._reading = threading.Lock()

    def address(self, attempt: Attempt, redirect_uri: str) -> str:
        """Where to send the browser; raises Unavailable."""
        metadata = self._read_metadata()
        with self._client(redirect_uri) as client:
            address, _ = client.create_authorization_url(
                metadata["authorization_endpoint"],
                state=attempt.state,
                nonce=attempt.nonce,
                code_verifier=attempt.verifier,
            )
        return str(address)

    def claims(self, attempt: Attempt, redirect_uri: str, answer: Mapping[str, str]) -> dict[str, Any]:
        """What the provider says of the person, after all checks; raises Refused or Unavailable."""
        metadata = self._read_metadata()
        if "code" not in answer or not secrets.compare_digest(answer.get("state", ""), attempt.state):
            raise Refused("The identity provider did not sign anybody in.")
        # RFC 9207: an answer of another provider is not taken for this one's.
        if answer.get("iss", metadata["issuer"]) != metadata["issuer"]:
            raise Refused("Another identity provider answered.")
        with self._client(redirect_uri) as client:
            try:
                token = client.fetch_token(
                    metadata["token_endpoint"], code=answer["code"], code_verifier=attempt.verifier
                )
                claims = self._checked(client, metadata, token, attempt.nonce)
                return claims | self._user_info(client, metadata, claims)
            except (OAuthError, joserfc.errors.JoseError, ValueError, KeyError, TypeError) as error:
                raise Refused(
                    f"The identity provider's answer is not good: {type(error).__name__}."
                ) from None
            except httpx2.HTTPError as error:
                raise _away(error) from None

    def _checked(
        self, client: OAuth2Client, metadata: dict[str, Any], token: dict[str, Any], nonce: str
    ) -> dict[str, Any]:
        keys = KeySet.import_key_set(_json(client, metadata["jwks_uri"]))
        registry = JWSRegistry(algorithms=list(SIGNATURES), strict_check_header=False)
        decoded = jwt.decode(token["id_token"], key=keys, registry=registry)
        own = self.provider.client_id
        options = {"iss": {"values": [metadata["issuer"]]}, "aud": {"essential": True, "value": own}}
        seen = {"nonce": nonce, "client_id": own, "access_token": token.get("access_token")}
        checked = CodeIDToken(decoded.claims, decoded.header, options, seen)
        checked.validate(leeway=LEEWAY_S)
        if not isinstance(checked["sub"], str) or not checked["sub"]:
            raise ValueError("sub")
        return dict(checked)

    def _user_info(
        self, client: OAuth2Client, metadata: dict[str, Any], claims: dict[str, Any]
    ) -> dict[str, Any]:
        """Many providers send e-mail and groups only here."""
        address = metadata.get("userinfo_endpoint")
        if not address:
            return {}
        answer = client.request("GET", address)
        answer.raise_for_status()
        document = answer.json()
        if document.get("sub") != claims["sub"]:
            raise ValueError("userinfo of somebody else")
        return {name: value for name, value in document.items() if name not in claims}

    def _read_metadata(self) -> dict[str, Any]:
        if time.monotonic() - self._read_at_s < METADATA_LASTS_S:
            return self._metadata
        # Strangers may ask for this: were the provider slow, each would hold a thread.
        if not self._reading.acquire(blocking=False):
            raise Unavailable("The identity provider has not answered yet.")
        try:
            return self._ask_metadata()
        finally:
            self._reading.release()

    def _ask_metadata(self) -> dict[str, Any]:
        try:
            with self._client("") as client:
                metadata = _json(client, f"{self.provider.issuer}/.well-known/openid-configuration")
        except (httpx2.HTTPError, ValueError) as error:
            raise _away(error) from None
        if not isinstance(metadata, dict) or not all(isinstance(metadata.get(e), str) for e in ENDPOINTS):
            raise Unavailable("The identity provider does not describe itself as OpenID Connect wants it.")
        if str(metadata.get("issuer", "")).rstrip("/") != self.provider.issuer:
            raise Unavailable("The identity provider calls itself otherwise than STALLSCOPE_OIDC_ISSUER.")
        if not self.provider.is_local and not all(metadata[e].startswith("https://") for e in ENDPOINTS):
            raise Unavailable("The identity provider has addresses without https.")
        self._metadata, self._read_at_s = metadata, time.monotonic()
        return metadata

    def _client(self, redirect_uri: str) -> OAuth2Client:
        methods = self._metadata.get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
        return OAuth2Client(
            client_id=self.provider.client_id,
            client_secret=self.provider.client_secret,
            scope=self.provider.scopes,
            redirect_uri=redirect_uri or None,
            code_challenge_method="S256",
            token_endpoint_auth_method=(
                "client_secret_basic" if "client_secret_basic" in methods else "client_secret_post"
            ),
            timeout=TIMEOUT_S,
            follow_redirects=False,
            trust_env=not self.provider.is_local,
        )


def _json(client: OAuth2Client, address: str) -> Any:
    answer = client.request("GET", address, withhold_token=True)
    answer.raise_for_status()
    return answer.json()


def _away(error: Exception) -> Unavailable:
    return Unavailable(f"The identity provider does not answer as it should: {type(error).__name__}.")
