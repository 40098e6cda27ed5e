"""The clients of both APIs. Their methods and types are generated from the OpenAPI documents."""
from __future__ import annotations

from typing import TYPE_CHECKING, Optional, Union

from ._core import Core, segment
from ._http import Transport
from ._listen import Events
from .generated.account import AccountResources, InstanceResources
from .generated.connection import ConnectionResources
from .generated.tables import ACCOUNT_EVENT_TYPES, CONNECTION_EVENT_TYPES

if TYPE_CHECKING:
    from .generated.account_types import AccountEvent
    from .generated.connection_types import ConnectionEvent
    from .webhooks import UnknownEvent


class ConnectionClient(ConnectionResources):
    """The Connection API, whose key belongs to one number."""

    def __init__(
        self,
        api_key: str,
        base_url: str,
        *,
        max_retries: int = 2,
        timeout: float = 30,
        send_timeout: float = 75,
        transport: Optional[Transport] = None,
    ) -> None:
        core = Core(api_key, base_url, max_retries=max_retries, timeout=timeout, send_timeout=send_timeout, transport=transport)
        super().__init__(core, "/api/v1/")
        self.events: Events[Union[ConnectionEvent, UnknownEvent]] = Events(core.listen_api("/api/v1/", "type", CONNECTION_EVENT_TYPES))


class InstanceClient(InstanceResources):
    """The methods of one instance."""

    def __init__(self, core: Core, instance_id: str) -> None:
        prefix = f"/api/instances/{segment(instance_id)}/"
        super().__init__(core, prefix)
        self.events: Events[Union[AccountEvent, UnknownEvent]] = Events(core.listen_api(prefix, "event", ACCOUNT_EVENT_TYPES))


class AccountClient(AccountResources):
    """The Account API, whose key belongs to an account with its instances."""

    def __init__(
        self,
        api_key: str,
        base_url: str,
        *,
        max_retries: int = 2,
        timeout: float = 30,
        send_timeout: float = 75,
        transport: Optional[Transport] = None,
    ) -> None:
        self._core = Core(api_key, base_url, max_retries=max_retries, timeout=timeout, send_timeout=send_timeout, transport=transport)
        super().__init__(self._core, "/api/")

    def instance(self, instance_id: str) -> InstanceClient:
        """The methods of one instance, as in `account.instance(id).messages.send_text(…)`."""
        return InstanceClient(self._core, instance_id)
