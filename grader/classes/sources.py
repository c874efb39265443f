"""The files of a class for programs that compare source code, in the layout that JPlag and Dolos take.

JPlag (https://github.com/jplag/JPlag) reads a folder with a folder for each submission, and base code from another
folder. Dolos (https://dolos.ugent.be) reads the files that its command names.
"""

from collections.abc import Iterable, Iterator

from ..base.text import few, plain
from ..verdict.formats import ExportedFiles, ExportRequest, Format, register
from ..verdict.report import Report
from ..words.instructor import compare_sources, no_sources
from .cohort import read_code

_SUBMISSIONS, _BASE = "submissions", "base-code"


def sources(reports: Iterable[Report], request: ExportRequest) -> Iterator[ExportedFiles]:
    """Yield the files of each submission as they were graded. The stubs and the commands come with the first."""
    files = {f"{_BASE}/{name}": stub for name, stub in request.stubs.items()}
    names = {name.partition("_")[2].removesuffix(".py"): name for name in request.stubs}
    files["README.txt"] = compare_sources(_SUBMISSIONS, _BASE, next(iter(request.stubs), ""))
    lacking: dict[str, None] = {}  # members of a group share a submission
    for report in reports:
        code = read_code(request.results, report)
        own = {f"{_SUBMISSIONS}/{report.submission.id}/{names[one]}": text for one, text in code.items()}
        if own:
            yield files | own
            files = {}
        else:
            lacking[plain(report.submission.id)] = None
            yield {}
    if lacking:
        request.warnings.append(no_sources(len(lacking), few(list(lacking), 5)))


FORMAT = Format(
    name="sources",
    about="the graded files of each submission and the stubs, for JPlag and Dolos, which compare sources",
    files=sources,
    export="sources",
    each="learner",
)
register(FORMAT)
