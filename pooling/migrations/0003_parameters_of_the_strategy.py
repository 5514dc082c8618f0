import hashlib
import json

from django.db import migrations

LONGEST_KEY = 200


def nested(spec):
    """The depth stood among the settings of every pool; it is a parameter of the strategy depth-k."""
    if "depth" not in spec:
        return spec
    common = {name: value for name, value in spec.items() if name != "depth"}
    return {**common, "parameters": {"depth": spec["depth"]}}


def flat(spec):
    return {**{name: value for name, value in spec.items() if name != "parameters"}, **spec.get("parameters", {})}


def job_key(arguments):
    """As campaign.tasking made it when this was written."""
    text = json.dumps(arguments, sort_keys=True, separators=(",", ":"), default=str)
    return text if len(text) <= LONGEST_KEY else hashlib.sha256(text.encode()).hexdigest()


def convert(apps, change):
    pools = apps.get_model("pooling", "Pool").objects
    for pk, spec in list(pools.values_list("pk", "spec")):
        pools.filter(pk=pk).update(spec=change(spec))
    jobs = apps.get_model("campaign", "Job").objects
    for pk, arguments in list(jobs.filter(name="freeze pool").values_list("pk", "arguments")):
        if "spec" in arguments:
            arguments = {**arguments, "spec": change(arguments["spec"])}
            jobs.filter(pk=pk).update(arguments=arguments, key=job_key(arguments))


def nest(apps, schema_editor):
    convert(apps, nested)


def flatten(apps, schema_editor):
    pool_runs = apps.get_model("pooling", "PoolRun").objects
    for pk, spec in apps.get_model("pooling", "Pool").objects.values_list("pk", "spec"):
        pool_runs.filter(pool=pk).update(depth=spec.get("parameters", {}).get("depth", 0))
    convert(apps, flat)


class Migration(migrations.Migration):
    dependencies = [("pooling", "0002_spec_and_probabilities"), ("campaign", "0008_job_names")]

    operations = [
        migrations.RunPython(nest, flatten),
        migrations.RemoveField(model_name="poolrun", name="depth"),
    ]
