import GatewayCore
import Redis

extension RedisError: LoggableError {}
