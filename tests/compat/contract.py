"""What the live modules define, and what of an older contract they no longer keep."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
    MethodDescriptorProto,
)

from paiju.wire import v1


def live() -> FileDescriptorSet:
    """All contracts below paiju.wire.v1, sorted by file name."""
    files = []
    for module in pkgutil.iter_modules(v1.__path__):
        if module.name.endswith("_pb2"):
            descriptor = importlib.import_module(f"{v1.__name__}.{module.name}").DESCRIPTOR
            files.append(FileDescriptorProto.FromString(descriptor.serialized_pb))
    return FileDescriptorSet(file=sorted(files, key=lambda file: file.name))


def broken(old: FileDescriptorSet, new: FileDescriptorSet) -> list[str]:
    """One sentence for each thing of `old` that a program of its time would miss in `new`.

    Names of fields count, too: JSON and the views of games use them.
    """
    found: list[str] = []
    messages = dict(_messages(new))
    for name, message in _messages(old):
        if name not in messages:
            found.append(f"message {name} is gone")
        else:
            found += _fields(name, message, messages[name])
    enums = dict(_enums(new))
    for name, enum in _enums(old):
        if name not in enums:
            found.append(f"enum {name} is gone")
        else:
            found += _values(name, enum, enums[name])
    calls = dict(_calls(new))
    for name, call in _calls(old):
        if name not in calls:
            found.append(f"rpc {name} is gone")
        elif _shape(call) != _shape(calls[name]):
            found.append(f"rpc {name} has another request, answer or streaming")
    return found


def _fields(name: str, old: DescriptorProto, new: DescriptorProto) -> Iterator[str]:
    by_number = {field.number: field for field in new.field}
    numbers = {field.name: field.number for field in new.field}
    for field in old.field:
        where = f"{name}.{field.name} = {field.number}"
        now = by_number.get(field.number)
        moved = numbers.get(field.name)
        if moved is not None and moved != field.number:
            yield f"{where} is now number {moved}"
        elif now is None:
            yield f"{where} is gone"
        elif now.name != field.name:
            yield f"{where} is now called {now.name}"
        elif _kind(field) != _kind(now):
            yield f"{where} has another type"
        elif _oneof(field, old) != _oneof(now, new):
            yield f"{where} has moved into or out of a oneof"


def _kind(field: FieldDescriptorProto) -> tuple[int, int, str]:
    return field.type, field.label, field.type_name


def _oneof(field: FieldDescriptorProto, message: DescriptorProto) -> str:
    return message.oneof_decl[field.oneof_index].name if field.HasField("oneof_index") else ""


def _values(name: str, old: EnumDescriptorProto, new: EnumDescriptorProto) -> Iterator[str]:
    numbers = {value.name: value.number for value in new.value}
    for value in old.value:
        if value.name not in numbers:
            yield f"{name}.{value.name} = {value.number} is gone"
        elif numbers[value.name] != value.number:
            yield f"{name}.{value.name} = {value.number} is now {numbers[value.name]}"


def _shape(call: MethodDescriptorProto) -> tuple[str, str, bool, bool]:
    return call.input_type, call.output_type, call.client_streaming, call.server_streaming


def _messages(of: FileDescriptorSet) -> Iterator[tuple[str, DescriptorProto]]:
    for file in of.file:
        for message in file.message_type:
            yield from _nested(f"{file.package}.{message.name}", message)


def _nested(name: str, message: DescriptorProto) -> Iterator[tuple[str, DescriptorProto]]:
    yield name, message
    for inner in message.nested_type:
        yield from _nested(f"{name}.{inner.name}", inner)


def _enums(of: FileDescriptorSet) -> Iterator[tuple[str, EnumDescriptorProto]]:
    for file in of.file:
        for enum in file.enum_type:
            yield f"{file.package}.{enum.name}", enum
    for name, message in _messages(of):
        for enum in message.enum_type:
            yield f"{name}.{enum.name}", enum


def _calls(of: FileDescriptorSet) -> Iterator[tuple[str, MethodDescriptorProto]]:
    for file in of.file:
        for service in file.service:
            for call in service.method:
                yield f"{file.package}.{service.name}.{call.name}", call
