"""Remove backups that are no longer needed: of this site alone, and never the one that was just made."""

from collections import Counter

from campaign.text.plurals import number_of
from runpool.backup.making import Made, Report, files_of
from runpool.backup.manifest import Manifest, read_manifest
from runpool.backup.targets import MANIFESTS, Target, TargetError


def backups_prune(target: Target, made: Made, keep: int, report: Report) -> tuple[int, int]:
    """Remove the site's backups but the newest `keep` that can be read, and the parts that no backup names; return how many.

    `made` is the newest: TargetError if another one is dated later. Backups of other sites stay. While a damaged backup lies
    among the kept ones, parts stay: it does not say which are its own, and may be mended by a copy.
    """
    with target.alone():
        names = target.manifests()
        require_newest(made.name, names)
        named, own, old, others = set[str](), 0, list[str](), Counter[str]()
        damaged: list[tuple[str, bool, TargetError]] = []
        for name in reversed(names):
            try:
                manifest = read_manifest(target, name)
                if manifest.site != made.manifest.site:
                    others[manifest.site] += 1
                elif own == keep:
                    old.append(name)
                    continue
                named |= _checksums(target, manifest)
            except TargetError as problem:
                damaged.append((name, own == keep, problem))
            else:
                own += manifest.site == made.manifest.site
        for site, count in others.items():
            report(f"{number_of(count, 'backup')} of another site, {site}: not counted, not removed")
        stay = [found for _, is_old, found in damaged if others or not is_old]
        for found in stay:
            report(str(found))
        old += [name for name, is_old, _ in damaged if is_old and not others]
        for name in old:
            target.remove_manifest(name)
        return len(old), 0 if stay else target.remove_parts_but(named)


def require_newest(made: str, names: list[str]) -> None:
    """TargetError if a backup is dated later than the one that was just made: a restoration would take that one."""
    if (newest := names[-1]) > made:
        raise TargetError(
            f"No backup was removed. {newest} is dated later than {made}, which was just made: the clock was wrong when one of "
            f"them was made, and a restoration would take the other one. If you do not need that one, remove the file "
            f"{MANIFESTS}/{newest}."
        )


def _checksums(target: Target, manifest: Manifest) -> set[str]:
    """Of all parts that the backup needs."""
    return {part.sha256 for part in manifest.parts()} | {sha256 for sha256, _, _ in files_of(target, manifest)}
