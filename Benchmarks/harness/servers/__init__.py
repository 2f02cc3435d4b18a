"""The programs that are measured, each started alone in a folder of its own."""

from ..process import Server


class Pair(Server):
    """nginx with the gateway that it asks, counted together."""

    def __init__(self, front: Server, gateway: Server):
        self.front, self.gateway = front, gateway
        self.name, self.port, self.log, self.pid = front.name, front.port, front.log, front.pid

    def processes(self) -> list[int]:
        """Those of both."""
        return self.front.processes() + self.gateway.processes()
