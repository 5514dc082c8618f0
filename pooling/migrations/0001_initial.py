import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from campaign.models.tables import CreateModels
from campaign.models.triggers import RefuseSecondWrite


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('campaign', '0001_initial'),
        ('campaign', '__first__'),
    ]

    operations = [
        CreateModels(
            [
                migrations.CreateModel(
                    name='Pool',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('version', models.PositiveIntegerField()),
                        ('strategy', models.CharField(max_length=40)),
                        ('spec', models.JSONField(default=dict, help_text='How it was drawn, as PoolSpec.to_json gives it.')),
                        ('order', models.CharField(default='random', max_length=20, verbose_name='judging order')),
                        ('seed', models.BigIntegerField(default=0)),
                        ('size', models.PositiveIntegerField(help_text='Topic-document pairs.')),
                        ('sha256', models.CharField(max_length=64, verbose_name='SHA-256 of the pool file')),
                        ('frame', models.FileField(blank=True, help_text='Parquet: topic, docno, stratum of those that could have been drawn; empty where nothing was sampled.', max_length=200, upload_to='', verbose_name='documents not drawn')),
                        ('frame_sha256', models.CharField(blank=True, max_length=64, verbose_name='SHA-256 of the documents not drawn')),
                        ('engine', models.CharField(blank=True, help_text='Of the code that drew it; empty where it was drawn elsewhere, or before versions were recorded.', max_length=20, verbose_name='engine version')),
                        ('whole', models.PositiveIntegerField(blank=True, help_text='To this depth it held every run when it was frozen: the pooled ones, of an imported pool the valid ones.', null=True, verbose_name='depth held whole')),
                        ('sampled_by', models.CharField(blank=True, help_text='By what estimators read it: stratum or probability; empty where it is no sample.', max_length=11)),
                        ('frozen_at', models.DateTimeField(auto_now_add=True)),
                        ('frozen_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('task', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='pools', to='campaign.task')),
                    ],
                    options={
                        'ordering': ['task', 'version'],
                        'constraints': [models.UniqueConstraint(fields=('task', 'version'), name='pool_version_once_per_task')],
                    },
                ),
                migrations.CreateModel(
                    name='DuplicateSearch',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('handling', models.CharField(choices=[('off', 'judged each in its place'), ('together', 'judged one after another'), ('one', 'judged by one that stands for all')], default='off', max_length=8)),
                        ('threshold', models.FloatField(help_text='From which similarity on texts are near-identical.')),
                        ('documents', models.PositiveIntegerField(help_text='Pooled documents with a text, which were compared.')),
                        ('found_at', models.DateTimeField()),
                        ('changed_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('pool', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='duplicate_search', to='pooling.pool')),
                    ],
                    options={
                        'verbose_name_plural': 'duplicate searches',
                    },
                ),
                migrations.CreateModel(
                    name='PoolChoice',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('step', models.PositiveIntegerField(help_text='From 1 in each topic.')),
                        ('docno', models.CharField(max_length=200)),
                        ('run', models.CharField(blank=True, help_text='Of the run that was followed, if one was.', max_length=60, verbose_name='run tag')),
                        ('policy', models.CharField(max_length=40)),
                        ('seed', models.BigIntegerField()),
                        ('engine', models.CharField(blank=True, help_text='Of the code that chose; empty if it was not recorded.', max_length=20, verbose_name='engine version')),
                        ('learned', models.JSONField(default=dict, help_text='By docno, what was known and was not at the step before: relevant or not, null for no longer known.')),
                        ('pending', models.JSONField(default=list, help_text='Docnos of the base and of chosen documents not judged then.')),
                        ('chosen_at', models.DateTimeField(auto_now_add=True)),
                        ('pool', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='choices', to='pooling.pool')),
                        ('topic', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='pool_choices', to='campaign.topic')),
                    ],
                    options={
                        'ordering': ['pool', 'topic__position', 'step'],
                        'constraints': [models.UniqueConstraint(fields=('pool', 'topic', 'step'), name='step_once_per_pool_and_topic'), models.UniqueConstraint(fields=('pool', 'topic', 'docno'), name='document_chosen_once_per_topic')],
                    },
                ),
                migrations.CreateModel(
                    name='PoolEntry',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('docno', models.CharField(max_length=200)),
                        ('position', models.PositiveIntegerField(help_text='Judging order within the topic, from 1.')),
                        ('best_position', models.PositiveIntegerField(help_text='The best position that any pooled run gives the document; 0 where none holds it.')),
                        ('run_count', models.PositiveIntegerField(help_text='Pooled runs that bring the document in.')),
                        ('stratum', models.PositiveIntegerField(blank=True, help_text='In which the document was drawn; null where nothing was sampled.', null=True)),
                        ('inclusion_probability', models.FloatField(blank=True, help_text='In (0, 1], with which the document was drawn; null where nothing was sampled.', null=True)),
                        ('source', models.CharField(choices=[('drawn', 'drawn when the pool was frozen'), ('chosen', 'chosen while the pool was judged'), ('found', 'found by hand')], default='drawn', max_length=6)),
                        ('added_at', models.DateTimeField(auto_now_add=True, null=True)),
                        ('added_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('pool', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='pooling.pool')),
                        ('topic', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='pool_entries', to='campaign.topic')),
                    ],
                    options={
                        'verbose_name_plural': 'pool entries',
                        'ordering': ['pool', 'topic', 'position'],
                        'indexes': [models.Index(condition=models.Q(('source__in', ['chosen', 'found'])), fields=['pool', 'source', 'topic'], name='entry_added')],
                        'constraints': [models.UniqueConstraint(fields=('pool', 'topic', 'docno'), name='document_once_per_pool_and_topic'), models.UniqueConstraint(fields=('pool', 'topic', 'position'), name='position_once_per_pool_and_topic')],
                    },
                ),
                migrations.CreateModel(
                    name='PoolRun',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('sha256', models.CharField(max_length=64)),
                        ('contributed', models.PositiveIntegerField(help_text='Pooled pairs that this run brings in.')),
                        ('unique', models.PositiveIntegerField(help_text="Pooled pairs that only this run's team brings in.")),
                        ('priority', models.PositiveSmallIntegerField(help_text='That of the run then; null for pools from before it was kept.', null=True, verbose_name='judging priority')),
                        ('pool', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='pool_runs', to='pooling.pool')),
                        ('run', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='pool_runs', to='campaign.run')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('pool', 'run'), name='run_once_per_pool')],
                    },
                ),
                migrations.CreateModel(
                    name='Search',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('query', models.CharField(max_length=300)),
                        ('results', models.PositiveIntegerField(help_text='Documents with at least one word of the query.')),
                        ('searched_at', models.DateTimeField(auto_now_add=True)),
                        ('pool', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='searches', to='pooling.pool')),
                        ('searched_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('topic', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='searches', to='campaign.topic')),
                    ],
                    options={
                        'verbose_name_plural': 'searches',
                        'ordering': ['pk'],
                        'indexes': [models.Index(fields=['pool', 'topic'], name='search_by_topic')],
                    },
                ),
                migrations.CreateModel(
                    name='TopicStop',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('kind', models.CharField(choices=[('rule', 'stopped by the rule'), ('exhausted', 'no candidate left'), ('hand', 'stopped by hand'), ('on', 'goes on')], max_length=9)),
                        ('until', models.PositiveIntegerField(blank=True, help_text='Where it goes on past the rule: the judgments at which it stops.', null=True)),
                        ('reason', models.TextField()),
                        ('decided_at', models.DateTimeField(auto_now_add=True)),
                        ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('pool', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='stops', to='pooling.pool')),
                        ('topic', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='pool_stops', to='campaign.topic')),
                    ],
                    options={
                        'ordering': ['pk'],
                        'indexes': [models.Index(fields=['pool', 'topic'], name='stop_by_topic')],
                    },
                ),
                migrations.CreateModel(
                    name='Twin',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('docno', models.CharField(max_length=200)),
                        ('representative', models.CharField(max_length=200, verbose_name='docno that stands for the class')),
                        ('place', models.PositiveIntegerField(help_text='Position of the representative: where the class is judged.')),
                        ('similarity', models.FloatField(help_text="Jaccard's coefficient with the document of the class that is most alike.")),
                        ('pool', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='twins', to='pooling.pool')),
                        ('topic', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='twins', to='campaign.topic')),
                    ],
                    options={
                        'ordering': ['pool', 'topic__position', 'place', 'pk'],
                        'constraints': [models.UniqueConstraint(fields=('pool', 'topic', 'docno'), name='twin_once_per_pool_and_topic')],
                    },
                ),
            ]
        ),
        RefuseSecondWrite("pool"),
        RefuseSecondWrite("poolchoice"),
        RefuseSecondWrite("poolentry"),
        RefuseSecondWrite("poolrun"),
        RefuseSecondWrite("search"),
        RefuseSecondWrite("topicstop"),
    ]
