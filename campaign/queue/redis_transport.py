"""kombu's Redis transport, for workers that outlive their Redis.

When the connection is lost, kombu gives unfinished messages back, and acknowledges those that end later, through that very
connection; what this raises is none of the errors that Celery expects, and ends the worker. Here it is one of them, and a
line in the log: the sweep sends such jobs again. Rubbish in a queue, which ends a worker of kombu, is dropped.
"""

import logging
from queue import Empty
from typing import Any

from kombu.transport import redis

logger = logging.getLogger(__name__)


class QoS(redis.QoS):  # type: ignore[misc]
    def restore_unacked_once(self, stderr: Any = None) -> None:
        try:
            super().restore_unacked_once(stderr)
        except (AttributeError, OSError, redis.redis.RedisError) as problem:
            logger.warning("the messages at work are not given back, the sweep sends their jobs again: %r", problem)


class Channel(redis.Channel):  # type: ignore[misc]
    QoS = QoS

    def _connparams(self, asynchronous: bool = False) -> Any:
        if self.connection is None or self.connection.client is None:
            raise redis.redis.ConnectionError("the connection of this channel is closed")
        return super()._connparams(asynchronous)

    def _brpop_read(self, **options: Any) -> Any:
        """What is no message is off the queue by now: dropped, since by kombu it ends the worker."""
        try:
            return super()._brpop_read(**options)
        except (ValueError, KeyError, TypeError, AttributeError) as problem:
            logger.warning("what lay in a queue is no message and was dropped: %r", problem)
            raise Empty from problem


class Transport(redis.Transport):  # type: ignore[misc]
    Channel = Channel
