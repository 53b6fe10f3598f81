# SPDX-License-Identifier: MIT
"""Checks records against a JSON Schema (2020-12): by jsonschema-rs, or where that is missing, as in
Debian, by jsonschema, which takes some 40 times as long."""

import functools
import re
from dataclasses import dataclass


@dataclass
class Violation(Exception):
    """The first one found; the message calls the instance "it"."""

    path: list  # of names and numbers
    keyword: str
    instance: object
    message: str


def checker(schema):
    """A function that raises a Violation if its argument violates the schema."""
    try:
        return _by_jsonschema_rs(schema)
    except ModuleNotFoundError:
        return _by_jsonschema(schema)


def _by_jsonschema_rs(schema):
    from jsonschema_rs import Draft202012Validator, ValidationError

    validator = Draft202012Validator(schema, mask="it")

    def check(value):
        try:
            # Not all violations: each holds a copy of what violates.
            validator.validate(value)
        except ValidationError as error:
            path, keyword = list(error.instance_path), error.kind.name
            raise Violation(path, keyword, error.instance, error.message) from None

    return check


def _by_jsonschema(schema):
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend

    validator = extend(Draft202012Validator, {"pattern": _pattern})(schema)

    def check(value):
        error = next(validator.iter_errors(value), None)
        if error:
            path = list(error.absolute_path)
            raise Violation(path, error.validator, error.instance, _message(error))

    return check


def _message(error):
    """As jsonschema-rs puts it."""
    if error.validator == "required":
        missing = next(name for name in error.validator_value if name not in error.instance)
        return f'"{missing}" is a required property'
    return error.message.replace(repr(error.instance), "it", 1)


def _pattern(_, pattern, instance, __):
    from jsonschema import ValidationError

    if isinstance(instance, str) and not _compiled(pattern).search(instance):
        yield ValidationError(f'{instance!r} does not match "{pattern}"')


@functools.cache
def _compiled(pattern):
    """As ECMA-262 has it, which JSON Schema refers to: a final $ does not match before a newline,
    and digits are those of ASCII."""
    return re.compile(re.sub(r"\$$", r"\\Z", pattern), re.ASCII)
