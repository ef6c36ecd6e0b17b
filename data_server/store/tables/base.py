"""What all tables share: naming of constraints and the types of columns."""

from __future__ import annotations

from typing import Annotated

from sqlalchemy import BigInteger, Integer, MetaData
from sqlalchemy.orm import DeclarativeBase, mapped_column

MAX_AMOUNT = 9 * 10**15

Id = Annotated[int, mapped_column(BigInteger, primary_key=True, autoincrement=False)]
Serial = Annotated[
    int,
    mapped_column(
        BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True
    ),
]
Big = Annotated[int, mapped_column(BigInteger)]
Us = Annotated[int, mapped_column(BigInteger)]  # microseconds UTC


class Base(DeclarativeBase):
    """Rows are read and written by Core statements; there is no session and no cache."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
