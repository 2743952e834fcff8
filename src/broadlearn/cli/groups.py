"""Groups of commands that all have `-h` and `-q`, and whose help is plain text."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from broadlearn.cli.console import settings

MAX_JOBS = 10_000


def check_jobs(jobs: int) -> int:
    """Refuse numbers of processes that mean nothing."""
    if jobs == 0 or abs(jobs) > MAX_JOBS:
        raise typer.BadParameter(
            f"expected a number of processes, at most {MAX_JOBS}, or -1 for all cores, got {jobs}"
        )
    return jobs


Jobs = Annotated[
    int,
    typer.Option("--jobs", "-j", help="Processes; -1 for all cores.", callback=check_jobs),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show neither notes nor progress.")]
# Longer lines are hard to read, however wide the terminal is.
MAX_WIDTH = 100


def completes(*values: str) -> Callable[[str], list[str]]:
    """What a shell offers for an option: those of the values that begin with what was typed.

    In a list with commas, its last part is completed.
    """

    def complete(incomplete: str) -> list[str]:
        before, comma, typed = incomplete.rpartition(",")
        found = (value for value in values if value.casefold().startswith(typed.casefold()))
        return [f"{before}{comma}{value}" for value in found]

    return complete


class QuickGroup(TyperGroup):
    """Parses flags without typer's checks of types, whose import takes longer than all else."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The options; a flag that is not given is false."""
        options = super().get_params(ctx)
        for option in options:
            if getattr(option, "is_flag", False) and option.default is None:
                option.default = False
        return options

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the commands with the first sentence of their help, wrapped and not cut."""
        commands = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        with formatter.section("Commands"):
            formatter.write_dl(
                [
                    (name, command.get_short_help_str(limit=1000))
                    for name, command in commands.items()
                    if command is not None
                ]
            )


class PanelCommand(TyperCommand):
    """Lists the options of each help panel under a heading of its own, in plain text."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """List arguments and options, those of panels last."""
        panels: dict[str, list[Any]] = {"Arguments": [], "Options": []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            default = "Options" if parameter.param_type_name == "option" else "Arguments"
            if record is not None:
                panel = getattr(parameter, "rich_help_panel", None) or default
                panels.setdefault(panel, []).append(record)
        # Typer adds --help last.
        for name, lines in panels.items():
            if lines:
                with formatter.section(name):
                    formatter.write_dl(lines)


class CommandGroup(typer.Typer):
    """Commands under one name."""

    def __init__(self, help: str, *, add_completion: bool = False) -> None:
        super().__init__(
            cls=QuickGroup,
            help=help,
            no_args_is_help=True,
            add_completion=add_completion,
            pretty_exceptions_enable=False,
            # Panels would take twice the time, and be cut in a pipe.
            rich_markup_mode=None,
            context_settings={
                "help_option_names": ["-h", "--help"],
                "max_content_width": MAX_WIDTH,
            },
        )

    def command(self, name: str | None = None, **options: Any) -> Callable[[Any], Any]:
        """Add a command, which gets `--quiet`; a decorator."""
        add = super().command(name, cls=PanelCommand, **options)

        def add_with_quiet(function: Callable[..., None]) -> Callable[..., None]:
            add(with_options(function, {"quiet": (Quiet, False)}, _set_quiet))
            return function

        return add_with_quiet


def with_options(
    function: Callable[..., None],
    added: Mapping[str, tuple[Any, Any]],
    take: Callable[[dict[str, Any]], dict[str, Any]],
) -> Callable[..., None]:
    """Give a command further options.

    `added` maps names to annotations and defaults; `take` gets their values and returns arguments
    of the command in their place.
    """

    @wraps(function)
    def run(**given: Any) -> None:
        values = {name: given.pop(name) for name in added}
        function(**given, **take(values))

    parameters = dict(inspect.signature(function, eval_str=True).parameters)
    parameters.pop("options", None)
    for name, (annotation, default) in added.items():
        parameters[name] = inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
        )
    vars(run)["__signature__"] = inspect.Signature(list(parameters.values()))
    run.__annotations__ = {name: p.annotation for name, p in parameters.items()}
    return run


def _set_quiet(values: dict[str, Any]) -> dict[str, Any]:
    settings.quiet |= values["quiet"]
    return {}
