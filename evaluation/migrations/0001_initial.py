import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from campaign.models.tables import CreateModels
from campaign.models.triggers import RefuseSecondWrite


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('campaign', '0001_initial'),
        ('campaign', '__first__'),
        ('judging', '0001_initial'),
    ]

    operations = [
        CreateModels(
            [
                migrations.CreateModel(
                    name='Leaderboard',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('number', models.PositiveIntegerField()),
                        ('audience', models.CharField(choices=[('participants', 'participants, each team its own scores'), ('anonymous', 'everybody, without names'), ('public', 'everybody')], default='public', max_length=12)),
                        ('measures', models.JSONField()),
                        ('rows', models.JSONField(blank=True, default=list, help_text='Of boards before there were columns. One object a run: tag, team, scores, intervals, tests.')),
                        ('tests', models.JSONField(help_text='Method, correction, family, level; seed and resamples where used.')),
                        ('board', models.FileField(blank=True, help_text='JSON: runs, topics, columns, choice of tests.', max_length=200, upload_to='')),
                        ('values', models.FileField(help_text='float64: runs by measures by topics. Where there is no board: JSON, run tag to measure to values per topic.', max_length=200, upload_to='')),
                        ('p_of_pairs', models.FileField(blank=True, help_text='float64: measures by pairs of runs.', max_length=200, upload_to='')),
                        ('run_ids', models.JSONField(blank=True, default=list, help_text="Of the board's runs, in its order.")),
                        ('as_json', models.FileField(blank=True, help_text='The whole snapshot as it is served.', max_length=200, upload_to='')),
                        ('as_csv', models.FileField(blank=True, max_length=200, upload_to='')),
                        ('note', models.TextField(blank=True)),
                        ('licence', models.CharField(blank=True, choices=[('', 'not stated'), ('CC0-1.0', 'CC0 1.0: no rights reserved'), ('CC-BY-4.0', 'CC BY 4.0: use with credit'), ('CC-BY-SA-4.0', 'CC BY-SA 4.0: use with credit, under the same licence'), ('CC-BY-NC-4.0', 'CC BY-NC 4.0: use with credit, not for commerce'), ('ODC-By-1.0', 'ODC-By 1.0: data, use with credit')], help_text='Its SPDX name.', max_length=20)),
                        ('terms', models.TextField(blank=True, verbose_name='terms of use')),
                        ('sha256', models.CharField(max_length=64)),
                        ('published_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('published_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('qrels', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='leaderboards', to='judging.qrels')),
                        ('task', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='leaderboards', to='campaign.task')),
                    ],
                    options={
                        'ordering': ['task', '-number'],
                        'constraints': [models.UniqueConstraint(fields=('task', 'number'), name='leaderboard_number_once_per_task')],
                    },
                ),
                migrations.CreateModel(
                    name='PreferenceScores',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('engine', models.CharField(max_length=20, verbose_name='engine version')),
                        ('measure', models.CharField(max_length=100)),
                        ('run_order', models.CharField(max_length=10, verbose_name='documents ordered by')),
                        ('reference', models.CharField(max_length=10, verbose_name='reference release of trec_eval')),
                        ('run_sha256', models.CharField(max_length=64)),
                        ('values', models.BinaryField(help_text='float64, little-endian, one for each topic of the order.')),
                        ('mean', models.FloatField()),
                        ('topics_answered', models.PositiveIntegerField()),
                        ('scored_at', models.DateTimeField(auto_now_add=True)),
                        ('order', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='scores', to='judging.preferenceorder')),
                        ('run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='preference_scores', to='campaign.run')),
                    ],
                    options={
                        'verbose_name_plural': 'preference scores',
                        'constraints': [models.UniqueConstraint(fields=('run', 'order', 'engine'), name='preference_scores_once')],
                    },
                ),
                migrations.CreateModel(
                    name='PublishedTrust',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('report', models.FileField(help_text='JSON, under its SHA-256.', max_length=200, upload_to='')),
                        ('computed_at', models.DateTimeField(auto_now_add=True)),
                        ('leaderboard', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='trust', to='evaluation.leaderboard')),
                    ],
                    options={
                        'verbose_name_plural': 'reports on leaderboards',
                    },
                ),
                migrations.CreateModel(
                    name='WorkingBoard',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('set_name', models.CharField(blank=True, max_length=40, verbose_name='set of qrels')),
                        ('scope', models.CharField(blank=True, choices=[('', 'topics that count'), ('feedback', 'topics for feedback')], default='', max_length=8, verbose_name='over which topics')),
                        ('mark', models.CharField(max_length=64)),
                        ('board', models.FileField(help_text='JSON: runs, topics, columns, choice of tests.', max_length=200, upload_to='')),
                        ('values', models.FileField(help_text='float64, little-endian: runs by measures by topics.', max_length=200, upload_to='')),
                        ('p_of_pairs', models.FileField(blank=True, help_text='float64: measures by pairs of runs.', max_length=200, upload_to='')),
                        ('run_ids', models.JSONField(help_text="Of the board's runs, in its order.")),
                        ('computed_at', models.DateTimeField(auto_now=True)),
                        ('qrels', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='judging.qrels')),
                        ('task', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='working_boards', to='campaign.task')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('task', 'set_name', 'scope'), name='working_board_once_per_set_and_scope')],
                    },
                ),
                migrations.CreateModel(
                    name='WorkingTrust',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('mark', models.CharField(max_length=64)),
                        ('report', models.FileField(help_text='JSON, under its SHA-256.', max_length=200, upload_to='')),
                        ('computed_at', models.DateTimeField(auto_now=True)),
                        ('task', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='working_trust', to='campaign.task')),
                    ],
                    options={
                        'verbose_name_plural': 'reports on working boards',
                    },
                ),
                migrations.CreateModel(
                    name='BoardSettings',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('test', models.CharField(choices=[('randomised-tukey', 'randomised Tukey HSD'), ('tukey', 'Tukey HSD'), ('t', 'paired t-test'), ('wilcoxon', 'Wilcoxon signed-rank test'), ('sign', 'sign test'), ('randomisation', 'paired randomisation test'), ('bootstrap', 'bootstrap test')], default='randomised-tukey', max_length=20)),
                        ('correction', models.CharField(choices=[('none', 'none'), ('holm', 'Holm'), ('bonferroni', 'Bonferroni'), ('bh', 'Benjamini-Hochberg')], default='none', max_length=20)),
                        ('family', models.CharField(choices=[('all pairs', 'all pairs of runs'), ('baseline', 'every run against the baseline'), ('best of teams', 'all pairs of the best runs of teams')], default='all pairs', max_length=20)),
                        ('baseline', models.CharField(blank=True, max_length=60, verbose_name='baseline')),
                        ('named_before_scores', models.BooleanField(default=False, editable=False)),
                        ('task', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='board_settings', to='campaign.task')),
                    ],
                    options={
                        'verbose_name_plural': 'board settings',
                        'constraints': [models.CheckConstraint(condition=models.Q(('named_before_scores', False), models.Q(('baseline', ''), _negated=True), _connector='OR'), name='board_settings_named_is_a_baseline')],
                    },
                ),
                migrations.CreateModel(
                    name='Evaluation',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('engine', models.CharField(max_length=20, verbose_name='engine version')),
                        ('run_order', models.CharField(choices=[('score', 'score; equal scores by docno'), ('rank', 'rank column; equal ranks by score, then docno'), ('line', 'lines as they stand in the file')], default='score', max_length=10, verbose_name='documents ordered by')),
                        ('reference', models.CharField(choices=[('9', 'single precision as trec_eval 9'), ('10', 'double precision as trec_eval 10')], default='9', max_length=10, verbose_name='reference release of trec_eval')),
                        ('run_sha256', models.CharField(max_length=64)),
                        ('qrels_sha256', models.CharField(max_length=64)),
                        ('measures', models.JSONField(help_text='Names of the measures: the rows of `values`.')),
                        ('values', models.BinaryField(help_text='float64, little-endian, measures by topics of the qrels; NaN: left out.')),
                        ('means', models.JSONField(help_text='Measure to its one number over the topics that are not left out.')),
                        ('topics_answered', models.PositiveIntegerField()),
                        ('unjudged_at_10', models.FloatField(help_text='Share of the first 10 documents that are not judged, mean over the answered topics.', null=True)),
                        ('unjudged_best', models.JSONField(help_text='Measure to its one number if all unjudged documents it looks at had the highest grade; null: none.', null=True)),
                        ('curves', models.JSONField(help_text='Recall and precision, gain, ROC: means over topics; null: scored before they were kept.', null=True)),
                        ('left_out', models.JSONField(blank=True, default=list, help_text='Topics of the qrels that enter none of the numbers but `values`: removed from scoring, or for feedback.')),
                        ('missed', models.JSONField(help_text='Topics of the qrels that the run does not answer; null: not kept.', null=True)),
                        ('scored_at', models.DateTimeField(auto_now_add=True)),
                        ('qrels', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='evaluations', to='judging.qrels')),
                        ('run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='evaluations', to='campaign.run')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('run', 'qrels', 'engine'), name='evaluation_once')],
                    },
                ),
            ]
        ),
        RefuseSecondWrite("evaluation", may_be_deleted=True),
        RefuseSecondWrite("leaderboard"),
        RefuseSecondWrite("preferencescores", may_be_deleted=True),
        RefuseSecondWrite("publishedtrust"),
    ]
