"""Canvas' flat download, where the names of the files identify the submitters (see `canvas_names`)."""

from collections.abc import Iterator

from ...outside import printable
from ...report.model import Submitter
from ...words.instructor import intake
from .canvas_names import Reading, likely_readings, readings
from .layout import Entry, Folder, Layout


def fits(folder: Folder) -> bool:
    """Return whether most entries of the folder are files with names in Canvas' form."""
    flat = [name for name in folder.names if readings(name) and (folder.path / name).is_file()]
    return bool(flat) and 2 * len(flat) > len(folder.names)


def read(folder: Folder) -> Iterator[Entry]:
    """Yield an entry with all files of each person, and an entry for each file that may belong to several people."""
    files: dict[str, dict[str, Reading]] = {}
    doubtful: dict[str, list[str]] = {}
    for name, (first, *others) in likely_readings(folder.names).items():
        if not others:
            files.setdefault(first.who, {})[name] = first
            continue
        fitting = [printable(reading.who) for reading in (first, *others)]
        for reading in (first, *others):
            doubtful.setdefault(reading.who, []).append(printable(name))
        renamed = {name: first.file or name}
        late = any(reading.late for reading in (first, *others))
        submitter = Submitter(fitting[-1])
        yield Entry(
            name,
            name,
            (folder.path / name,),
            (submitter,),
            notes=(intake.in_doubt(fitting),),
            renamed=renamed,
            late=late,
        )
    for who, listed in files.items():
        person = next(iter(listed.values()))
        late = any(one.late for one in listed.values())  # the names contain no other information about time
        submitter = Submitter(printable(person.name), person.user)
        places = tuple(folder.path / name for name in listed)
        renamed = {name: one.file or name for name, one in listed.items()}
        other = doubtful.get(who, [])
        notes = (intake.may_also_belong(other),) if other else ()
        yield Entry(who, who, places, (submitter,), notes=notes, renamed=renamed, late=late)


LAYOUT = Layout("canvas", "files named name_user_file_01_exercise.py", fits, read)
