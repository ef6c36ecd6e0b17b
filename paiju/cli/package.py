"""`paiju package`: make, build, test, publish and start game packages.

Here is what needs no hall; `package_authors.py` has keys and signatures, `package_offers.py` what
is played.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
from pathlib import Path
from typing import Annotated

import typer

from paiju.cli import output, package_authors, package_export, package_offers, package_root
from paiju.cli.package_files import Json, Package, packed
from paiju.packages import archive, imports, proof

app = typer.Typer(help="Make, test, publish and start game packages.", no_args_is_help=True)


@app.command()
def new(
    name: Annotated[str, typer.Argument(help="Of the package: small letters, digits and _.")],
    like: Annotated[str, typer.Option(help="An installed package to begin with.")] = "doudizhu",
    folder: Annotated[Path, typer.Option(help="Where its folder is made.")] = Path(),
) -> None:
    """Copy an installed package under a new name, ready to be changed.

    Example: paiju package new mygame --like doudizhu
    """
    if archive.NAME.fullmatch(name) is None:
        output.fail(f"{name!r} is no name of a package: small letters, digits and _", code=2)
    source = _installed(like)
    target = folder / name
    if target.exists():
        output.fail(f"{target} is there already", code=2)
    target.mkdir(parents=True)
    word = re.compile(rf"(?<![a-z0-9]){re.escape(like)}(?![a-z0-9])")
    for path in sorted(source.rglob("*")):
        if not path.is_file() or "__pycache__" in path.parts:
            continue
        copy = target / path.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix in (".py", ".toml", ".jsonl"):
            copy.write_text(word.sub(name, path.read_text("utf-8")), "utf-8")
        else:
            shutil.copyfile(path, copy)
    typer.echo(f"{target} is a copy of {like}; change it, then: paiju package test {target}")


def _installed(name: str) -> Path:
    spec = importlib.util.find_spec("games")
    roots = (spec.submodule_search_locations or ()) if spec is not None else ()
    found = [Path(root) / name for root in roots]
    for folder in found:
        if (folder / "manifest.toml").is_file():
            return folder
    return output.fail(f"no package {name!r} is installed here", code=2)


@app.command()
def build(
    folder: Annotated[Path, typer.Argument(help="The package's folder.")],
    out: Annotated[Path | None, typer.Option(help="Default: NAME-VERSION.zip here.")] = None,
    json: Json = None,
) -> None:
    """Make the archive; the same files always give the same bytes.

    Example: paiju package build games/doudizhu --out doudizhu.zip
    """
    contents = _read(folder)
    target = out or Path(f"{contents.name}-{contents.version}.zip")
    target.write_bytes(archive.pack(contents.files))
    output.console(json).print(f"{target}: sha256 {contents.digest}", highlight=False)
    output.write_json(json, _shown(contents) | {"file": str(target)})


@app.command()
def test(
    package: Package,
    hands: Annotated[int, typer.Option(min=1, help="Random hands per rule set.")] = proof.HANDS,
    json: Json = None,
) -> None:
    """Check a package as publishing does: imports, golden cases, conformance kit.

    Example: paiju package test games/doudizhu --hands 200
    """
    contents, console = _read(package), output.console(json)
    try:
        imports.check(contents.name, contents.modules())
        found = proof.prove(
            contents, hands=hands, tell=lambda line: console.print(line, highlight=False)
        )
    except archive.BadPackage as error:
        output.fail(str(error))
    for sentence in found.failed:
        console.print(f"[red]failed[/red] {sentence}", highlight=False)
    console.print("it holds" if found.holds else f"{len(found.failed)} failed", highlight=False)
    output.write_json(json, {"cases": found.cases, "hands": found.hands, "failed": found.failed})
    raise typer.Exit(0 if found.holds else 1)


@app.command()
def show(package: Package, json: Json = None) -> None:
    """What is in a package.

    Example: paiju package show doudizhu-1.0.0.zip
    """
    contents, console = _read(package), output.console(json)
    console.print(f"{contents.name} {contents.version}  sha256 {contents.digest}", highlight=False)
    for path, data in contents.files.items():
        console.print(f"  {len(data):>8}  {path}", highlight=False)
    output.write_json(json, _shown(contents))


def _read(package: Path) -> archive.Contents:
    return archive.unpack(packed(package))


def _shown(contents: archive.Contents) -> dict[str, object]:
    return {
        "name": contents.name,
        "version": contents.version,
        "sha256": contents.digest,
        "files": {path: len(data) for path, data in contents.files.items()},
        "rule_sets": [rule_set.name for rule_set in contents.manifest.rule_sets],
    }


app.command("export")(package_export.export)
app.command("init-keys")(package_authors.init_keys)
app.command("author")(package_authors.author)
app.command("rotate-key")(package_authors.rotate_key)
app.command("rotate-root")(package_root.rotate_root)
app.command("draft")(package_authors.draft)
app.command("sign")(package_authors.sign_packages)
app.command("publish")(package_authors.publish)
app.command("list")(package_offers.list_packages)
app.command("start")(package_offers.start)
app.command("stop")(package_offers.stop)
app.command("pin")(package_offers.pin)
app.command("unpin")(package_offers.unpin)
app.command("rollback")(package_offers.rollback)
app.command("client")(package_offers.client)
app.command("yank")(package_offers.yank)
