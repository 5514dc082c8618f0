"""The queue of a site without Redis, for Celery: kombu's virtual transport on the files of `file_queues`.

In place of kombu's own file transport, whose readers meet half-written messages and end by them.
"""

import time
from pathlib import Path
from queue import Empty
from typing import Any

from kombu.exceptions import KombuError
from kombu.transport import TRANSPORT_ALIASES, virtual
from kombu.utils.json import dumps, loads

from campaign.queue.file_queues import Binding, FileQueues, Taken

SCHEME = "files"
POLLING_SECONDS = 0.1
TIDY_SECONDS = 60.0
BAD_MESSAGE = (ValueError, TypeError, AttributeError, LookupError, KombuError)
"""What kombu raises for a text that is no message, or whose body it cannot or may not read."""


def register() -> None:
    """Let Celery find the transport of broker addresses that begin with `files:`."""
    TRANSPORT_ALIASES[SCHEME] = f"{__name__}:Transport"


class QoS(virtual.QoS):  # type: ignore[misc]
    def ack(self, delivery_tag: str) -> None:
        self.channel.queues.forget(delivery_tag)
        super().ack(delivery_tag)

    def reject(self, delivery_tag: str, requeue: bool = False) -> None:
        queues = self.channel.queues
        (queues.give_back if requeue else queues.forget)(delivery_tag)
        super().reject(delivery_tag)


class Channel(virtual.Channel):  # type: ignore[misc]
    QoS = QoS
    supports_fanout = True

    def __init__(self, connection: "Transport", **options: Any) -> None:
        super().__init__(connection, **options)
        self.queues = connection.queues
        self._without_ack: set[str] = set()
        self._transient: set[str] = set()
        self._tidied_at = 0.0

    def basic_consume(self, queue: str, no_ack: bool, *arguments: Any, **options: Any) -> None:
        if no_ack:
            self._without_ack.add(queue)
        super().basic_consume(queue, no_ack, *arguments, **options)

    def basic_get(self, queue: str, no_ack: bool = False, **options: Any) -> Any:
        message = super().basic_get(queue, no_ack=no_ack, **options)
        if no_ack and message is not None:
            self.queues.forget(message.delivery_tag)
        return message

    def get_table(self, exchange: str) -> list[tuple[str, str, str]]:
        return [(one.routing_key, one.pattern, one.queue) for one in self.queues.bindings(exchange)]

    def _get(self, queue: str, timeout: float | None = None) -> dict[str, Any]:
        while (taken := self.queues.take(queue)) is not None:
            message = self._read(taken)
            if message is not None:
                if queue in self._without_ack:
                    self.queues.forget(taken.tag)
                return message
        self._tidy()
        raise Empty

    def _read(self, taken: Taken) -> dict[str, Any] | None:
        try:
            message: dict[str, Any] = loads(taken.content)
            message["properties"]["delivery_tag"] = taken.tag
            read = self.Message(message, channel=self)
            if not isinstance(read.headers, dict) or not isinstance(message["body"], str):
                raise TypeError("a message without headers or body")
            read.decode()
        except BAD_MESSAGE as problem:
            self.queues.refuse(taken, repr(problem))
            return None
        return message

    def _tidy(self) -> None:
        now = time.monotonic()
        if now - self._tidied_at >= TIDY_SECONDS:
            self._tidied_at = now
            self.queues.tidy()

    def _put(self, queue: str, message: dict[str, Any], **options: Any) -> None:
        self.queues.put(queue, dumps(message).encode())

    def _put_fanout(self, exchange: str, message: dict[str, Any], routing_key: str, **options: Any) -> None:
        for queue in {binding.queue for binding in self.queues.bindings(exchange)}:
            self._put(queue, message)

    def _restore(self, message: Any) -> None:
        self.queues.give_back(message.delivery_tag)

    def _new_queue(self, queue: str, auto_delete: bool = False, **options: Any) -> None:
        if auto_delete:
            self._transient.add(queue)

    def _queue_bind(self, exchange: str, routing_key: str | None, pattern: str | None, queue: str) -> None:
        reader = self.queues.reader if queue in self._transient else ""
        self.queues.bind(exchange, Binding(routing_key or "", pattern or "", queue, reader))

    def _delete(self, queue: str, exchange: str, *arguments: Any, **options: Any) -> None:
        self.queues.unbind(exchange, queue)
        self.queues.delete(queue)

    def _purge(self, queue: str) -> int:
        return self.queues.purge(queue)

    def _size(self, queue: str) -> int:
        return self.queues.size(queue)


class Transport(virtual.Transport):  # type: ignore[misc]
    Channel = Channel
    implements = virtual.Transport.implements.extend(exchange_type=frozenset(["direct", "topic", "fanout"]))
    driver_type = driver_name = SCHEME
    default_port = 0
    polling_interval = POLLING_SECONDS

    def __init__(self, client: Any, **options: Any) -> None:
        self.queues = FileQueues(Path(client.transport_options["folder"]))
        super().__init__(client, **options)

    def close_connection(self, connection: Any) -> None:
        super().close_connection(connection)
        self.queues.close()

    def driver_version(self) -> str:
        return "1"
