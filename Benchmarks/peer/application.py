"""The peer: a plain application on fastapi-users with bearer tokens kept in Redis, as its documentation builds it.

Database and Redis are named by PEER_DATABASE and PEER_REDIS, the Argon2id parameters by PEER_ARGON2_MEMORY (KiB) and
PEER_ARGON2_ITERATIONS.
"""

import os
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import redis.asyncio
from fastapi import Depends, FastAPI
from fastapi_users import BaseUserManager, FastAPIUsers, UUIDIDMixin, schemas
from fastapi_users.authentication import AuthenticationBackend, BearerTransport, RedisStrategy
from fastapi_users.password import PasswordHelper
from fastapi_users_db_sqlalchemy import SQLAlchemyBaseUserTableUUID, SQLAlchemyUserDatabase
from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker, create_async_engine
from sqlalchemy.orm import DeclarativeBase

engine = create_async_engine(f"sqlite+aiosqlite:///{os.environ['PEER_DATABASE']}")
sessions = async_sessionmaker(engine, expire_on_commit=False)
store = redis.asyncio.from_url(f"unix://{os.environ['PEER_REDIS']}", decode_responses=True)
passwords = PasswordHelper(
    PasswordHash(
        (
            Argon2Hasher(
                memory_cost=int(os.environ["PEER_ARGON2_MEMORY"]),
                time_cost=int(os.environ["PEER_ARGON2_ITERATIONS"]),
                parallelism=1,
                hash_len=32,
                salt_len=16,
            ),
        )
    )
)


class Base(DeclarativeBase):
    pass


class User(SQLAlchemyBaseUserTableUUID, Base):
    pass


class UserRead(schemas.BaseUser[uuid.UUID]):
    pass


class UserCreate(schemas.BaseUserCreate):
    pass


class UserUpdate(schemas.BaseUserUpdate):
    pass


class UserManager(UUIDIDMixin, BaseUserManager[User, uuid.UUID]):
    pass


async def get_session() -> AsyncIterator[AsyncSession]:
    async with sessions() as session:
        yield session


async def get_user_database(session: AsyncSession = Depends(get_session)) -> AsyncIterator[SQLAlchemyUserDatabase]:
    yield SQLAlchemyUserDatabase(session, User)


async def get_user_manager(users: SQLAlchemyUserDatabase = Depends(get_user_database)) -> AsyncIterator[UserManager]:
    yield UserManager(users, passwords)


def get_strategy() -> RedisStrategy[User, uuid.UUID]:
    return RedisStrategy(store, lifetime_seconds=7 * 86_400)


async def make_tables() -> None:
    """Makes the tables; called once, before the workers are started."""
    async with engine.begin() as connection:
        await connection.run_sync(Base.metadata.create_all)
    await engine.dispose()


@asynccontextmanager
async def lifespan(_: FastAPI) -> AsyncIterator[None]:
    yield
    await engine.dispose()
    await store.aclose()


backend = AuthenticationBackend("bearer", BearerTransport(tokenUrl="api/auth/login"), get_strategy)
users = FastAPIUsers[User, uuid.UUID](get_user_manager, [backend])

app = FastAPI(lifespan=lifespan)
app.include_router(users.get_auth_router(backend), prefix="/api/auth")
app.include_router(users.get_register_router(UserRead, UserCreate), prefix="/api/auth")
app.include_router(users.get_users_router(UserRead, UserUpdate), prefix="/api")
