"""The walls of the house: what may import what, and where things live."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import allauth
import pytest
from django.apps import apps
from django.urls import URLPattern, URLResolver, get_resolver

from tests.places import REPOSITORY
from tests.pure_code import APPS, PURE, imported, module_of, nodes, sources

TEMPLATES = REPOSITORY / "templates"
LONGEST_TEMPLATE_LINE = 139
UNESCAPED = {
    ("campaign/mail/services.py", "autoescape=False"): "mails are plain text",
    ("runpool/templatetags/parts.py", "mark_safe"): "prose, after nh3 has sanitised it",
}
"""Where text reaches a page or a mail without being escaped, and why it may."""
PURE_MAY_IMPORT = {
    "numpy",
    "polars",
    "scipy",
    "matplotlib",
    "yaml",
    "re2",
    "markdown_it",
    "nh3",
    *APPS,
    *sys.stdlib_module_names,
}


def test_every_import_contract_holds() -> None:
    lint_imports = str(Path(sys.executable).with_name("lint-imports"))
    run = subprocess.run([lint_imports], cwd=REPOSITORY, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout


@pytest.mark.parametrize("app", APPS)
def test_an_app_imports_only_itself_and_the_apps_before_it(app: str) -> None:
    later = APPS[APPS.index(app) + 1 :]
    found = [f"{path}: {name}" for path in sources(app) for name in imported(path) if name.split(".")[0] in later]
    assert found == []


def test_pure_code_imports_nothing_but_numbers_and_the_standard_library() -> None:
    found = [
        f"{path}: {name}"
        for path in sources(*PURE)
        for name in imported(path)
        if name.split(".")[0] not in PURE_MAY_IMPORT
    ]
    assert found == []


def test_pure_code_starts_without_django() -> None:
    modules = ", ".join(module_of(path) for path in sources(*PURE) if path.name != "__main__.py")
    code = f"import sys, {modules}; assert 'django' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, check=True)


def test_signals_are_received_in_one_place() -> None:
    receiving = {
        str(path.relative_to(REPOSITORY))
        for path in sources(*APPS)
        if ".connect(" in path.read_text(encoding="utf-8") or "@receiver" in path.read_text(encoding="utf-8")
    }
    receiving -= {
        "campaign/apps.py"
    }  # teaches new connections to SQLite a collation, and hears of addresses from allauth
    receiving -= {"runpool/postgresql.py"}  # bounds how long new connections of web servers wait for locks
    assert receiving <= {"evaluation/apps.py"}


def test_jobs_are_declared_in_one_way() -> None:
    found = {
        str(path.relative_to(REPOSITORY))
        for path in sources(*APPS)
        if "shared_task" in path.read_text(encoding="utf-8")
    }
    assert found == {"campaign/queue/jobs.py", "runpool/jobs.py"}


def test_the_name_of_each_job_says_which_module_does_it() -> None:
    texts = {str(path.relative_to(REPOSITORY)): path.read_text(encoding="utf-8") for path in sources(*APPS)}
    found = {
        (name, module) for module, text in texts.items() for name in re.findall(r"^@job\(([A-Z_]+)", text, re.MULTILINE)
    }
    everything = "\n".join(texts.values())
    silent = {
        name
        for name, module in found
        if not re.search(
            rf'^(?:[A-Z_]+, )*{name}\b[^\n]* = .*\n"""(?:[^"]* )?Done by {module}\."""', everything, re.MULTILINE
        )
    }
    assert len(found) > 25
    assert silent == set()


def test_whole_addresses_are_made_in_one_place_and_never_of_what_a_request_says() -> None:
    """The demo chooses its own address; the storage, below all pages, keeps the root of the site."""
    made = re.compile(r"build_absolute_uri|get_host\(|settings\.SITE_URL")
    found = {
        str(path.relative_to(REPOSITORY)) for path in sources(*APPS) if made.search(path.read_text(encoding="utf-8"))
    }
    assert found == {"campaign/web/links.py", "campaign/storage/owners.py", "runpool/management/commands/demo.py"}


def test_stored_files_are_read_in_one_place_which_verifies_them() -> None:
    """Caches that verify themselves, as the index of docnos does, map their own files and open nothing of the storage."""
    opening = re.compile(r"default_storage\.open\(|\b(?:run|qrels|import_|leaderboard)\.\w+\.open\(")
    found = {
        f"{path.relative_to(REPOSITORY)}: {line.strip()}"
        for path in sources(*APPS)
        if "campaign/storage" not in path.as_posix()
        for line in path.read_text(encoding="utf-8").splitlines()
        if opening.search(line)
    }
    assert found == set()


def test_texts_are_cut_into_words_in_one_place_which_knows_every_script() -> None:
    cutting = re.compile(r"""["'](?:\[\^\\W_\]|\\w)\+(?:["']|\()""")
    found = {
        str(path.relative_to(REPOSITORY)) for path in sources(*APPS) if cutting.search(path.read_text(encoding="utf-8"))
    }
    assert found == {"campaign/text/tokens.py"}


def test_no_exception_is_swallowed() -> None:
    found = [
        f"{path}:{node.lineno}"
        for path in sources(*APPS)
        for node in nodes(path, "pass")
        if isinstance(node, ast.ExceptHandler) and all(isinstance(line, ast.Pass) for line in node.body)
    ]
    assert found == []


def test_modules_and_functions_keep_to_their_sizes() -> None:
    too_long = []
    for path in sources(*APPS):
        text = path.read_text(encoding="utf-8")
        if text.count("\n") > 600:
            too_long.append(f"{path.relative_to(REPOSITORY)}: {text.count(chr(10))} lines")
        too_long += [
            f"{path.relative_to(REPOSITORY)}:{node.lineno} {node.name}"
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.FunctionDef) and (node.end_lineno or 0) - node.lineno >= 40
        ]
    assert too_long == []


def test_templates_and_scripts_obey_the_content_security_policy() -> None:
    offences = []
    for path in (REPOSITORY / "templates").rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        for forbidden in (' style="', " onclick=", " onchange=", "hx-on", "javascript:", "<style"):
            if forbidden in text:
                offences.append(f"{path.relative_to(REPOSITORY)}: {forbidden.strip()}")
        offences += [
            f"{path.relative_to(REPOSITORY)}: inline script"
            for line in text.splitlines()
            if "<script" in line and " src=" not in line and "application/json" not in line
        ]
    assert offences == []


def test_lines_of_templates_are_short() -> None:
    found = [
        f"{name}:{number}: {len(line)}"
        for name, text in templates().items()
        for number, line in enumerate(text.splitlines(), 1)
        if len(line) > LONGEST_TEMPLATE_LINE
    ]
    assert found == []


def templates() -> dict[str, str]:
    paths = (path for path in TEMPLATES.rglob("*") if path.is_file())
    return {path.relative_to(TEMPLATES).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def test_parts_with_a_form_to_send_get_the_token_without_which_it_is_refused() -> None:
    """`only` keeps the token from a part, and the tests' own clients do not ask for it."""
    ours = templates()
    includes = {name: re.findall(r'{% include "([^"]+)"(.*?)%}', text, re.DOTALL) for name, text in ours.items()}
    needing = {name for name, text in ours.items() if "{% csrf_token %}" in text}
    while more := {name for name, parts in includes.items() if needing & {part for part, _ in parts}} - needing:
        needing |= more
    forgotten = [
        f"{name} includes {part}"
        for name, parts in includes.items()
        for part, given in parts
        if part in needing and given.split()[-1:] == ["only"] and "csrf_token=csrf_token" not in given
    ]
    assert forgotten == []


def test_every_template_is_used() -> None:
    ours = templates()
    used = {name for name in ours if name in {"400.html", "403.html", "403_csrf.html", "404.html", "500.html"}}
    used |= {name for name in ours if Path(allauth.__file__).parent.joinpath("templates", name).exists()}
    used |= _named(ours, "".join(path.read_text(encoding="utf-8") for path in sources(*APPS)))
    reached: set[str] = set()
    while used - reached:
        reached |= used
        used |= _named(ours, "".join(ours[name] for name in reached))
    assert ours.keys() - used == set()


def _named(ours: dict[str, str], text: str) -> set[str]:
    """A mail is named by its stem; what an f-string fills in may be anything."""
    words = set(re.findall(r"""["']([\w./]+)["']""", text))
    patterns = [re.sub(r"{[^}]*}", "*", name) for name in re.findall(r'f"([^"\n]+\.html)"', text)]
    return {
        name
        for name in ours
        if name in words
        or name.removeprefix("mail/").removesuffix(".txt") in words
        or any(fnmatch(name, pattern) for pattern in patterns)
    }


def test_nothing_unlisted_reaches_a_page_unescaped() -> None:
    marks = re.compile(
        r"mark_safe(?=\()|Safe(?:String|Text|Data)(?=\()|\|\s*safe(?:seq)?\b|autoescape[ =]\w+|__html__|html_safe\b"
    )
    files = [*sources(*APPS), *(TEMPLATES / name for name in templates())]
    found = {
        (path.relative_to(REPOSITORY).as_posix(), mark)
        for path in files
        for mark in marks.findall(path.read_text(encoding="utf-8"))
    }
    assert found == UNESCAPED.keys()


def test_markup_is_written_in_the_code_and_never_made_of_values() -> None:
    """The first argument of `format_html` is not escaped: anything but a literal might hold a user's text."""
    found = [
        f"{path.relative_to(REPOSITORY)}:{node.lineno}"
        for path in sources(*APPS)
        for node in nodes(path, "format_html")
        if isinstance(node, ast.Call)
        and getattr(node.func, "id", getattr(node.func, "attr", "")) in {"format_html", "format_html_join"}
        and not all(isinstance(text, ast.Constant) for text in node.args[: 2 if "join" in ast.dump(node.func) else 1])
    ]
    assert found == []


def test_htmx_only_reads() -> None:
    """What changes something is a form with its token: neither tokens nor values are lent to whatever stands in a page."""
    changing = re.compile(r"\b(?:data-)?hx-(?:post|put|patch|delete|headers|vals|include|on|ext|boost|history)\b")
    found = {name: changing.findall(text) for name, text in templates().items() if changing.search(text)}
    assert found == {}


def test_every_page_that_answers_get_answers_head() -> None:
    deaf = re.compile(r"require_GET|require_http_methods\(\[(?!.*HEAD)(?=.*GET)")
    assert not [path for path in sources(*APPS) if deaf.search(path.read_text())]


def test_colours_stand_in_the_tokens_alone() -> None:
    found = [
        f"{path.name}:{number}"
        for path in (REPOSITORY / "static" / "css").glob("*.css")
        if path.name not in {"tokens.css", "print.css"}
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if "#" in line and any(word in line for word in ("color:", "background:", "fill:", "stroke:")) and ": #" in line
    ]
    assert found == []


def test_every_url_has_a_name_that_is_its_own() -> None:
    names = [pattern.name for pattern in our_patterns()]
    assert None not in names
    assert len(names) == len(set(names))


def our_patterns() -> list[URLPattern]:
    """All but the pages of accounts, which are not ours, and the operations of the API, which tests/api walks."""
    entries = get_resolver().url_patterns
    ours = [
        entry
        for entry in entries
        if isinstance(entry, URLResolver)
        and not str(entry.urlconf_name).startswith("<module 'allauth")
        and entry.app_name != "ninja"
    ]
    single = [entry for entry in entries if isinstance(entry, URLPattern)]
    return [*single, *(pattern for resolver in ours for pattern in _flat(resolver))]


def account_patterns() -> list[URLPattern]:
    """The pages of accounts, which a library brings."""
    resolvers = (entry for entry in get_resolver().url_patterns if isinstance(entry, URLResolver))
    libraries = (entry for entry in resolvers if str(entry.urlconf_name).startswith("<module 'allauth"))
    return [pattern for resolver in libraries for pattern in _flat(resolver)]


def _flat(resolver: URLResolver) -> Iterator[URLPattern]:
    for entry in resolver.url_patterns:
        if isinstance(entry, URLResolver):
            yield from _flat(entry)
        else:
            yield entry


def test_the_four_apps_are_the_whole_product() -> None:
    ours = {config.name for config in apps.get_app_configs() if (REPOSITORY / config.name).is_dir()}
    assert ours == set(APPS)
