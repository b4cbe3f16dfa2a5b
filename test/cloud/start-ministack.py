"""MiniStack 1.5.33 with what the bot relies on, and AWS does, added to it. Started by run.ts; for tests only."""

import json
import time

from ministack import app
from ministack.core import iam_actions, iam_evaluator
from ministack.services import eventbridge, lambda_svc, scheduler, sqs
from ministack.services.cloudformation import provisioners


def fire_soon() -> None:
    """Looks for due schedules four times a second, not every ten seconds."""
    scheduler._SCHEDULE_TICK_INTERVAL = 0.25


def run_groups_in_parallel() -> None:
    """A FIFO queue serves its groups side by side; MiniStack serves the whole queue one job at a time."""
    original = lambda_svc._sqs_esm_concurrency

    def concurrency(mapping, record, config, queue=None):
        if (queue or {}).get("is_fifo") and mapping.get("BatchSize") == 1:
            return (mapping.get("ScalingConfig") or {}).get("MaximumConcurrency") or 10
        return original(mapping, record, config, queue)

    lambda_svc._sqs_esm_concurrency = concurrency


def retry_scheduled_invocations() -> None:
    """A schedule invokes asynchronously: with retries, and the on-failure destination at the end."""

    def dispatch(arn, payload):
        function, config, _ = lambda_svc._get_func_record_for_ref(arn)
        if function and config:
            record = lambda_svc._execution_record_for_config(function, config)
            lambda_svc.invoke_async_with_retry(record, json.loads(payload))

    eventbridge._dispatch_to_lambda = dispatch


def _key(group, name):
    return (scheduler.get_account_id(), scheduler.get_region(), f"{group}/{name}")


def fire_again_after_deletion() -> None:
    """A one-time schedule that was deleted and made anew fires anew."""
    original = scheduler._delete_schedule

    def delete(name, query):
        scheduler._schedule_last_fired.pop(_key(query.get("groupName", "default"), name), None)
        return original(name, query)

    scheduler._delete_schedule = delete


def count_rates_from_start() -> None:
    """rate() counts from StartDate, not from when the schedule was made."""
    original = scheduler._create_schedule

    def create(name, body):
        answer = original(name, body)
        expression = body.get("ScheduleExpression", "")
        if answer[0] == 200 and body.get("StartDate") and expression.startswith("rate("):
            first = scheduler._to_epoch(body["StartDate"])
            rate = eventbridge._parse_rate_seconds(expression)
            key = _key(body.get("GroupName", "default"), name)
            scheduler._schedule_last_fired[key] = first - rate
        return answer

    scheduler._create_schedule = create


def number_messages_like_sqs() -> None:
    """Sequence numbers have 20 digits and never come again, also after a restart."""
    original = sqs._prune_dedup

    def prune(queue):
        if queue.get("fifo_seq", 0) < 10**19:
            queue["fifo_seq"] = 10**19 + time.time_ns()
        original(queue)

    sqs._prune_dedup = prune


def count_loopback_as_tls() -> None:
    """Policies refuse what comes without TLS; here nothing leaves the machine, and the other conditions stay."""
    original = iam_evaluator.pin_request_origin

    def pin(source_ip, secure_transport):
        original(source_ip, True)

    iam_evaluator.pin_request_origin = app.pin_request_origin = pin


def name_schedules_by_their_group() -> None:
    """Policies name a schedule with its group; MiniStack looks for every one of them in the default group."""
    original = iam_actions.extract_resource_arn

    def extract(service, method, path, headers, body, query_params, *place):
        arn = original(service, method, path, headers, body, query_params, *place)
        if service != "scheduler" or ":schedule/default/" not in arn:
            return arn
        asked = query_params.get("groupName")
        group = asked[0] if isinstance(asked, list) else asked
        group = group or (json.loads(body) if body else {}).get("GroupName", "default")
        return arn.replace(":schedule/default/", f":schedule/{group}/")

    iam_actions.extract_resource_arn = extract


def take_alarms_on_sums() -> None:
    """A template may have an alarm on a sum of metrics; here it is one on the first of them."""
    original = provisioners._cw_metric_alarm_record

    def record(name, props):
        parts = [one["MetricStat"] for one in props.get("Metrics") or [] if "MetricStat" in one]
        if parts:
            first = parts[0]
            plain = {"Metrics": None, "Period": first["Period"], "Statistic": first["Stat"]}
            props = {**props, **first["Metric"], **plain}
        return original(name, props)

    provisioners._cw_metric_alarm_record = record


for close_gap in (
    fire_soon,
    run_groups_in_parallel,
    retry_scheduled_invocations,
    fire_again_after_deletion,
    count_rates_from_start,
    number_messages_like_sqs,
    count_loopback_as_tls,
    name_schedules_by_their_group,
    take_alarms_on_sums,
):
    close_gap()
app.main()
