"""What the workspace acknowledged survives; what it did not finish is not seen."""

import os
import signal
import subprocess
import sys
import threading

import pytest

from capital_kit import Workspace, WorkspaceError

OPEN = {"state": "open"}


@pytest.fixture
def workspace(tmp_path):
    return Workspace(tmp_path / "ws", clock=lambda: 1000.0)


def test_nothing_is_made_before_the_first_write(workspace):
    assert workspace.get("chart_source", "x") is None
    assert not workspace.path.exists()


def test_default_folder_follows_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("CAPITAL_KIT_HOME", str(tmp_path / "home"))
    assert Workspace().path == tmp_path / "home"
    monkeypatch.delenv("CAPITAL_KIT_HOME")
    assert Workspace().path.name == ".capital-kit"


def test_record_comes_back(workspace):
    with workspace.transaction() as registry:
        registry.put("chart_source", "a", {"数": 1.5, "none": float("nan")}, expires_at=1900.0, **OPEN)
    record = workspace.get("chart_source", "a")
    assert (record.state, record.created_at, record.expires_at) == ("open", 1000.0, 1900.0)
    assert record.body == {"数": 1.5, "none": None}


def test_registry_is_in_wal_mode(workspace):
    import sqlite3

    with workspace.transaction() as registry:
        registry.put("a", "b", {})
    connection = sqlite3.connect(workspace.path / "registry.sqlite")
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()


def test_failed_block_changes_nothing(workspace):
    def fail():
        with workspace.transaction() as registry:
            registry.put("a", "b", {})
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert workspace.get("a", "b") is None


def test_state_changes_once(workspace):
    with workspace.transaction() as registry:
        registry.put("a", "b", {}, **OPEN)
        assert registry.change("a", "b", before="open", after="consumed")
        assert not registry.change("a", "b", before="open", after="consumed")
    assert workspace.get("a", "b").state == "consumed"


def test_of_many_threads_one_wins(workspace):
    with workspace.transaction() as registry:
        registry.put("a", "b", {}, **OPEN)
    won = []

    def take():
        with workspace.transaction() as registry:
            if registry.change("a", "b", before="open", after="consumed"):
                won.append(threading.get_ident())

    threads = [threading.Thread(target=take) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 1


TAKE = """
import sys
from capital_kit import Workspace
sys.stdin.readline()
with Workspace(sys.argv[1]).transaction() as registry:
    print(registry.change("a", "b", before="open", after="consumed"))
"""


def test_of_several_processes_one_wins(workspace):
    with workspace.transaction() as registry:
        registry.put("a", "b", {}, **OPEN)
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", TAKE, str(workspace.path)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        for _ in range(4)
    ]  # fmt: skip
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    answers = sorted(process.communicate()[0].strip() for process in processes)
    assert answers == ["False", "False", "False", "True"]


def test_file_is_whole_and_replaces(workspace):
    workspace.write("datasets", "d1", "data.arrow", data=b"one")
    path = workspace.write("datasets", "d1", "data.arrow", data=b"two")
    assert path.read_bytes() == b"two"
    assert list(path.parent.iterdir()) == [path]


def test_staged_folder_is_seen_only_after_commit(workspace):
    staged = workspace.stage("charts", "c1", files={"spec.json": b"{}"})
    assert not workspace.file("charts", "c1").exists()
    assert (staged.commit() / "spec.json").read_bytes() == b"{}"


def test_dropped_folder_leaves_nothing(workspace):
    workspace.stage("charts", "c1", files={"spec.json": b"{}"}).drop()
    assert list((workspace.path / "charts").iterdir()) == []


@pytest.mark.parametrize(
    "name", ["..", ".", "", "a/b", "/etc", "a\\b", "a\0b", ".hidden", "x" * 200, "C:", "end."]
)
def test_hostile_names_are_refused(workspace, name):
    with pytest.raises(WorkspaceError) as caught:
        workspace.write("datasets", name, data=b"")
    assert caught.value.code == "workspace_path_invalid"


def test_unwritable_folder_says_so(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    with pytest.raises(WorkspaceError) as caught:
        Workspace(blocked / "ws").write("a", data=b"x")
    assert caught.value.code == "workspace_not_writable"
    with pytest.raises(WorkspaceError) as caught, Workspace(blocked / "ws").transaction():
        pass
    assert caught.value.code == "workspace_not_writable"
    assert str(tmp_path) not in str(caught.value)


def test_full_disk_keeps_the_old_file(workspace, monkeypatch):
    path = workspace.write("a", data=b"old")

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(WorkspaceError) as caught:
        workspace.write("a", data=b"new")
    assert caught.value.code == "workspace_not_writable"
    assert path.read_bytes() == b"old"
    assert list(workspace.path.iterdir()) == [path]


def test_damaged_registry_is_named_not_deleted(workspace):
    workspace.path.mkdir()
    registry = workspace.path / "registry.sqlite"
    registry.write_bytes(b"this is no database" * 100)
    with pytest.raises(WorkspaceError) as caught:
        workspace.get("a", "b")
    assert caught.value.code == "workspace_corrupt"
    assert registry.read_bytes().startswith(b"this is no database")


KILLED = """
import os, signal, sys
from capital_kit import Workspace
workspace = Workspace(sys.argv[1])
with workspace.transaction() as registry:
    registry.put("kept", "k", {"n": 1})
staged = workspace.stage("charts", "c1", files={"spec.json": b"{}"})
with workspace.transaction() as registry:
    registry.put("lost", "k", {"n": 2})
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_killed_process_keeps_what_was_acknowledged(workspace):
    process = subprocess.run([sys.executable, "-c", KILLED, str(workspace.path)], check=False)
    assert process.returncode == -signal.SIGKILL
    assert workspace.get("kept", "k").body == {"n": 1}
    assert workspace.get("lost", "k") is None
    assert not workspace.file("charts", "c1").exists()
    with workspace.transaction() as registry:
        registry.put("after", "k", {})
