"""Programs of every release understand what today's programs say, and the other way round."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
)

from tests.compat.contract import broken, live

STORED = sorted((Path(__file__).parent / "descriptors").glob("*.binpb"))


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.stem)
def test_nothing_of_a_release_is_gone(path: Path) -> None:
    assert broken(FileDescriptorSet.FromString(path.read_bytes()), live()) == []


def test_a_release_is_stored() -> None:
    assert STORED, "run scripts/release_descriptors.py"


# ---- the test of that test: contracts with one defect each --------------------------------

Doctor = Callable[[FileDescriptorSet], object]


def file(of: FileDescriptorSet, name: str) -> FileDescriptorProto:
    return next(f for f in of.file if f.name.endswith(f"/{name}.proto"))


def refusal(of: FileDescriptorSet) -> DescriptorProto:
    return next(m for m in file(of, "common").message_type if m.name == "Refusal")


def field(of: FileDescriptorSet, name: str) -> FieldDescriptorProto:
    return next(f for f in refusal(of).field if f.name == name)


def remove_field(of: FileDescriptorSet) -> None:
    refusal(of).field.remove(field(of, "text"))


def renumber_field(of: FileDescriptorSet) -> None:
    field(of, "text").number = 99


def rename_field(of: FileDescriptorSet) -> None:
    field(of, "text").name = "sentence"


def retype_field(of: FileDescriptorSet) -> None:
    field(of, "text").type = FieldDescriptorProto.TYPE_BYTES


def repeat_field(of: FileDescriptorSet) -> None:
    field(of, "text").label = FieldDescriptorProto.LABEL_REPEATED


def swap_numbers(of: FileDescriptorSet) -> None:
    field(of, "code").number, field(of, "text").number = 4, 1


def into_oneof(of: FileDescriptorSet) -> None:
    refusal(of).oneof_decl.add(name="why")
    field(of, "text").oneof_index = 0


def retype_map(of: FileDescriptorSet) -> None:
    refusal(of).nested_type[0].field[1].type = FieldDescriptorProto.TYPE_INT64


def remove_message(of: FileDescriptorSet) -> None:
    file(of, "common").message_type.remove(refusal(of))


def remove_value(of: FileDescriptorSet) -> None:
    del file(of, "common").enum_type[0].value[1]


def renumber_value(of: FileDescriptorSet) -> None:
    file(of, "common").enum_type[0].value[1].number = 7


def remove_enum(of: FileDescriptorSet) -> None:
    del file(of, "common").enum_type[0]


def remove_call(of: FileDescriptorSet) -> None:
    del file(of, "data").service[0].method[0]


def stream_call(of: FileDescriptorSet) -> None:
    file(of, "data").service[0].method[0].server_streaming = True


def retype_call(of: FileDescriptorSet) -> None:
    file(of, "data").service[0].method[0].output_type = ".paiju.v1.Reply"


def remove_service(of: FileDescriptorSet) -> None:
    del file(of, "data").service[0]


DEFECTS: list[Doctor] = [
    *(remove_field, renumber_field, rename_field, retype_field, repeat_field, swap_numbers),
    *(into_oneof, retype_map, remove_message, remove_value, renumber_value, remove_enum),
    *(remove_call, stream_call, retype_call, remove_service),
]


@pytest.mark.parametrize("doctor", DEFECTS, ids=lambda doctor: str(doctor.__name__))
def test_every_defect_is_found(doctor: Doctor) -> None:
    doctored = live()
    doctor(doctored)
    assert broken(live(), doctored)


def test_additions_are_welcome() -> None:
    grown = live()
    refusal(grown).field.add(
        name="later", number=50, type=FieldDescriptorProto.TYPE_STRING,
        label=FieldDescriptorProto.LABEL_OPTIONAL,
    )  # fmt: skip
    file(grown, "common").message_type.add(name="Later")
    file(grown, "common").enum_type[0].value.add(name="LATER", number=50)
    file(grown, "data").service[0].method.add(name="Later", input_type=".paiju.v1.Reply")
    assert broken(live(), grown) == []
