from __future__ import annotations

import asyncio
import socket

import pytest

from workers.cli.serve import bound_socket


async def test_answers_on_the_socket_do_not_wait_for_an_acknowledgement() -> None:
    accepted: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def greet(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        peer = writer.get_extra_info("socket")
        accepted.set_result(peer.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()

    listener = bound_socket("127.0.0.1", 0)
    async with await asyncio.start_server(greet, sock=listener):
        _, writer = await asyncio.open_connection(*listener.getsockname())
        assert await asyncio.wait_for(accepted, 5) != 0
        writer.close()
        await writer.wait_closed()


def test_a_port_in_use_is_no_socket() -> None:
    with bound_socket("127.0.0.1", 0) as taken, pytest.raises(OSError, match="in use"):
        bound_socket("127.0.0.1", taken.getsockname()[1])


def test_an_address_of_another_machine_is_not_called_in_use() -> None:
    with pytest.raises(OSError, match="Cannot assign requested address"):
        bound_socket("203.0.113.5", 0)
