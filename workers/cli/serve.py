"""`stallscope serve`: the whole product on one machine."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import socket

    from backend.forensics.dumps import Dump
    from backend.settings import Settings
    from backend.storage.store import Store

NAME = "serve"
HELP = "run everything on one host: web page, API, workers, embedded storage"
QUEUE = 2048
EPILOG = """\
for others than the users of this machine (--host 0.0.0.0, or a proxy in front):
  STALLSCOPE_ADMIN_PASSWORD or …_FILE    of the member `admin`, who adds further members on the page
  STALLSCOPE_OIDC_ISSUER, …_CLIENT_ID, …_CLIENT_SECRET or …_CLIENT_SECRET_FILE, …_ADMINS, …_ANALYSTS, …_VIEWERS
                                         sign-in at an identity provider, and who gets which role
  STALLSCOPE_PUBLIC_URL                  addresses that people use, like https://stallscope.example.org
  STALLSCOPE_TRUSTED_PROXIES             addresses of proxies whose X-Forwarded-For is believed"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "--host", help="address to listen on (127.0.0.1); any other than loopback needs sign-in"
    )
    parser.add_argument("--port", type=int, help="port to listen on (8000)")
    parser.add_argument("--data", type=Path, help="folder of uploads, packet tables and the database")
    parser.epilog = EPILOG


def run(arguments: argparse.Namespace) -> int:
    """Serve until asked to stop."""
    return serve(arguments, with_demo=False)


def serve(arguments: argparse.Namespace, *, with_demo: bool) -> int:
    """Open the store, start the worker beside this process, answer requests."""
    from backend.access.prepare import check_sign_in_settings, prepare_sign_in
    from backend.errors import StallscopeError
    from backend.storage.store import open_store
    from workers.cli.exit_codes import EXIT_DONE, EXIT_USAGE
    from workers.cli.log import log_to_stderr
    from workers.cli.private_files import keep_others_out

    log_to_stderr()
    keep_others_out()
    try:
        settings = chosen_settings(arguments)
        check_sign_in_settings(settings)
        store = open_store(settings, migrate=True)
        prepare_sign_in(store)
    except (StallscopeError, OSError) as error:
        print(f"stallscope: {error}", file=sys.stderr)
        return EXIT_USAGE
    if with_demo:
        from backend.services.load_demo import load_missing_demos

        try:
            load_missing_demos(store)
        except StallscopeError as error:
            print(f"stallscope: the demonstrations were not loaded: {error}", file=sys.stderr)
    served = _answer_requests(store, settings)
    store.close()
    return EXIT_DONE if served else EXIT_USAGE


def chosen_settings(arguments: argparse.Namespace) -> Settings:
    """Command line over environment over file."""
    from backend.settings import read_settings

    return read_settings({name: getattr(arguments, name) for name in ("host", "port", "data")})


def _answer_requests(store: Store, settings: Settings) -> bool:
    import signal

    import uvicorn

    from backend.api.app import create_guarded_app
    from backend.api.bounded_connections import CONNECTIONS_AT_MOST, HEADER_AT_MOST_BYTES, bounded_connections
    from backend.api.server import Server
    from workers.cli.worker_child import WorkerChild

    try:
        listener = bound_socket(settings.host, settings.port)
    except OSError as error:
        where = f"{settings.host}, port {settings.port}"
        print(f"stallscope: cannot listen on {where}: {error.strerror} (--host, --port).", file=sys.stderr)
        return False
    port = listener.getsockname()[1]
    config = uvicorn.Config(
        create_guarded_app(store, port, read_pasted),
        log_level="warning",
        server_header=False,
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=settings.trusted_proxies,
        timeout_graceful_shutdown=1,
        http=bounded_connections(),
        h11_max_incomplete_event_size=HEADER_AT_MOST_BYTES,
        limit_concurrency=CONNECTIONS_AT_MOST,
    )
    server = Server(config)

    def stop(*_: object) -> None:
        server.should_exit = True

    # A signal before the server listens to them ends it, too. It raises the one that ended it once more, which must not
    # cut short what follows.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    with WorkerChild(settings):
        print(f"Stallscope is at {address_shown(settings, port)}", flush=True)
        warn_of_clear_text(settings)
        server.run(sockets=[listener])
    return True


def warn_of_clear_text(settings: Settings) -> None:
    """Where passwords and captures would cross a network readable by others."""
    from backend.access.public_addresses import is_for_others, public_addresses

    if is_for_others(settings) and not any(a.scheme == "https" for a in public_addresses(settings)):
        print(
            "stallscope: passwords and captures cross the network in clear text; put a proxy with TLS in front "
            "and name its address in STALLSCOPE_PUBLIC_URL.",
            file=sys.stderr,
            flush=True,
        )


def address_shown(settings: Settings, port: int) -> str:
    """What to open in a browser; a wildcard is no address."""
    from backend.access.public_addresses import public_addresses

    public = public_addresses(settings)
    if public:
        return f"{public[0].origin}/"
    if settings.host in ("0.0.0.0", "::"):
        return f"http://127.0.0.1:{port}/ and at port {port} of this machine's addresses"
    return f"http://{f'[{settings.host}]' if ':' in settings.host else settings.host}:{port}/"


def read_pasted(content: bytes) -> list[Dump]:
    """Every dump in a pasted text; the formats' expressions compile when the first one comes."""
    from workers.decode.dumps import parse_dump_bytes

    return parse_dump_bytes(content)


def bound_socket(host: str, port: int) -> socket.socket:
    """A listening socket, so that the address is known before it is printed; raises OSError, as where the port is
    taken."""
    import socket as sockets

    family = sockets.AF_INET6 if ":" in host else sockets.AF_INET
    # With the protocol named, asyncio switches Nagle's algorithm off; else each answer on a kept connection
    # waits 40 ms for the delayed ACK of its header.
    bound = sockets.socket(family, sockets.SOCK_STREAM, sockets.IPPROTO_TCP)
    bound.setsockopt(sockets.SOL_SOCKET, sockets.SO_REUSEADDR, 1)
    try:
        bound.bind((host, port))
        # Who reads the printed address may ask at once: the queue holds the question until the server is up.
        bound.listen(QUEUE)
    except OSError:
        bound.close()
        raise
    bound.set_inheritable(False)
    return bound
