"""The clients of both APIs. Their methods and types are generated from the OpenAPI documents."""
from __future__ import annotations

from typing import Optional

from ._core import Core, segment
from ._http import Transport
from .generated.account import AccountResources, InstanceResources
from .generated.connection import ConnectionResources


class ConnectionClient(ConnectionResources):
    """The Connection API: its key belongs to one number."""

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


class InstanceClient(InstanceResources):
    """The methods of one instance."""

    def __init__(self, core: Core, instance_id: str) -> None:
        super().__init__(core, f"/api/instances/{segment(instance_id)}/")


class AccountClient(AccountResources):
    """The Account API: its key belongs to an account with its instances."""

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
        """The methods of one instance: `account.instance(id).messages.send_text(…)`."""
        return InstanceClient(self._core, instance_id)
