import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useId, useState } from "react";
import { api, type ResponseBody, reading } from "../../api/client.ts";
import { announcedBy, buildsOf, idsOf, meaningOf, newestServed, VERSION_PATTERN } from "../../domain/fleet.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Facts } from "../../ui/facts.tsx";
import { textOf, TextArea, TextField } from "../../ui/forms/field.tsx";
import { PageTitle } from "../../ui/heading.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Query } from "../../ui/states.tsx";
import { Rows } from "../../ui/table.tsx";
import { When } from "../../ui/when.tsx";
import { ADMIN } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { ActionDialog } from "./action-dialog.tsx";
import { Bridges } from "./bridges.tsx";

type State = ResponseBody<"GET /admin/fleet">["data"];
type Bridge = ResponseBody<"GET /admin/bridges">["data"][number];
type Version = ResponseBody<"GET /admin/client-version">["data"];
type Trouble = { kind: string; code: string };

const REPORT_INTERVAL_MS = 5_000;
const MAX_BUILD_CHARACTERS = 64;
const MAX_IDS_CHARACTERS = 100 * 40;

export function Fleet() {
  const texts = useTexts(ADMIN).fleet;
  const fleet = useQuery({ ...reading("GET /admin/fleet", {}), refetchInterval: REPORT_INTERVAL_MS });
  const bridges = useQuery({ ...reading("GET /admin/bridges", {}), refetchInterval: REPORT_INTERVAL_MS });
  const version = useQuery({ ...reading("GET /admin/client-version", {}), refetchInterval: REPORT_INTERVAL_MS });
  const known = bridges.data?.data ?? [];
  return (
    <>
      <PageTitle>{texts.title}</PageTitle>
      <Alarms result={fleet} />
      <div className="grid gap-4 min-[1100px]:grid-cols-2">
        <ClientVersion result={version} bridges={known} />
        <Rollout result={fleet} bridges={known} />
      </div>
      <Troubles result={fleet} />
      <Bridges result={bridges} shared={fleet.data?.data.rollout?.build ?? null} />
    </>
  );
}

type FleetProps = { result: UseQueryResult<ResponseBody<"GET /admin/fleet">> };

function Alarms({ result }: FleetProps) {
  const texts = useTexts(ADMIN).fleet;
  return (
    <Panel title={texts.alarms} flush>
      <Query result={result}>{({ data }) => <AlarmState state={data} />}</Query>
    </Panel>
  );
}

function AlarmState({ state: { alarms, troubles, sessions, away } }: { state: State }) {
  const texts = useTexts(ADMIN).fleet;
  const hasTroubles = troubles.some(({ routine }) => !routine);
  return (
    <>
      <p role="status" className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5">
        <Badge tone={alarms.length > 0 ? "bad" : hasTroubles ? "attention" : "good"}>
          {alarms.length === 0 && hasTroubles ? texts.onlyTroubles : texts.raised(alarms.length)}
        </Badge>
        <span>{texts.lines(sessions, away)}</span>
      </p>
      {alarms.length > 0 && (
        <div className="border-t border-line">
          <Rows
            caption={texts.alarms}
            rows={alarms}
            keyOf={nameOf}
            columns={[
              { id: "alarm", header: texts.alarm, cell: (alarm) => <Name trouble={alarm} /> },
              { id: "meaning", header: texts.meaning, cell: (alarm) => meaningOf(texts.meanings, alarm) },
              { id: "sessions", header: texts.atMost, numeric: true, cell: (alarm) => texts.count(alarm.sessions) },
              { id: "since", header: texts.since, cell: (alarm) => <When time={alarm.raised_at} /> },
            ]}
          />
        </div>
      )}
    </>
  );
}

function Troubles({ result }: FleetProps) {
  const texts = useTexts(ADMIN).fleet;
  return (
    <Panel title={texts.troubles} about={texts.troublesAbout} flush>
      <Query result={result}>
        {({ data: { troubles } }) =>
          troubles.length === 0 ? (
            <p className="p-4 text-center text-soft">{texts.noTroubles}</p>
          ) : (
            <Rows
              caption={texts.troubles}
              rows={troubles.toSorted((a, b) => Number(a.routine) - Number(b.routine) || b.sessions - a.sessions || b.total - a.total)}
              keyOf={nameOf}
              columns={[
                {
                  id: "trouble",
                  header: texts.trouble,
                  cell: (trouble) =>
                    trouble.routine ? (
                      <span className="flex flex-wrap items-center gap-2 text-soft">
                        {nameOf(trouble)} <Badge>{texts.routine}</Badge>
                      </span>
                    ) : (
                      <Name trouble={trouble} />
                    ),
                },
                {
                  id: "meaning",
                  header: texts.meaning,
                  cell: (trouble) =>
                    trouble.routine ? <span className="text-soft">{texts.routineAbout}</span> : meaningOf(texts.meanings, trouble),
                },
                { id: "sessions", header: texts.lately, numeric: true, cell: ({ sessions }) => texts.count(sessions) },
                { id: "total", header: texts.total, numeric: true, cell: ({ total }) => texts.count(total) },
              ]}
            />
          )
        }
      </Query>
    </Panel>
  );
}

function ClientVersion({
  result,
  bridges,
}: {
  result: UseQueryResult<ResponseBody<"GET /admin/client-version">>;
  bridges: readonly Bridge[];
}) {
  const { fleet: texts, bridges: ofBridges } = useTexts(ADMIN);
  const [setting, setSetting] = useState<Version | null>(null);
  const announced = announcedBy(bridges).map(
    ({ version, source, bridges: count }) => `${version} (${ofBridges.sources[source]}), ${texts.onBridges(count)}`,
  );
  return (
    <>
      <Query result={result}>
        {({ data }) => (
          <Panel
            title={texts.version}
            about={texts.versionAbout}
            actions={<Button onClick={() => setSetting(data)}>{texts.setVersion}</Button>}
          >
            <Facts
              facts={[
                [texts.announced, announced.length === 0 ? texts.noneYet : <Lines key="announced" lines={announced} />],
                [texts.served, newestServed(bridges) ?? texts.noneYet],
                [texts.byHand, data.version ?? texts.notSet],
                [texts.newest, data.max ?? texts.any],
              ]}
            />
          </Panel>
        )}
      </Query>
      {setting !== null && <SetVersion setting={setting} onClose={() => setSetting(null)} />}
    </>
  );
}

function SetVersion({ setting, onClose }: { setting: Version; onClose: () => void }) {
  const texts = useTexts(ADMIN).fleet;
  const given = (fields: FormData, name: string) => (textOf(fields, name).trim() === "" ? null : textOf(fields, name).trim());
  const field = { pattern: VERSION_PATTERN, title: texts.likeThis, placeholder: "2.3000.1043857760", autoComplete: "off" };
  return (
    <ActionDialog
      title={texts.version}
      action={texts.setVersion}
      onClose={onClose}
      stale={["GET /admin/client-version", "GET /admin/bridges", "GET /admin/fleet"]}
      onConfirm={({ reason, fields, idempotencyKey }) =>
        api("PUT /admin/client-version", { reason, version: given(fields, "version"), max: given(fields, "max") }, { idempotencyKey })
      }
    >
      <p>{texts.setVersionAbout}</p>
      <TextField label={texts.byHand} name="version" hint={texts.byHandHint} defaultValue={setting.version ?? ""} {...field} />
      <TextField label={texts.newest} name="max" hint={texts.newestHint} defaultValue={setting.max ?? ""} {...field} />
    </ActionDialog>
  );
}

function Rollout({ result, bridges }: FleetProps & { bridges: readonly Bridge[] }) {
  const texts = useTexts(ADMIN).fleet;
  const [dialog, setDialog] = useState<"share" | "end" | null>(null);
  const shared = result.data?.data.rollout ?? null;
  return (
    <>
      <Query result={result}>
        {({ data: { rollout } }) => (
          <Panel
            title={texts.rollout}
            about={texts.rolloutAbout}
            actions={
              <>
                {rollout !== null && <Button onClick={() => setDialog("end")}>{texts.end}</Button>}
                <Button onClick={() => setDialog("share")}>{texts.share}</Button>
              </>
            }
          >
            {rollout === null ? <p>{texts.noRollout}</p> : <RolloutFacts rollout={rollout} />}
          </Panel>
        )}
      </Query>
      {dialog === "share" && <SetRollout rollout={shared} builds={buildsOf(bridges)} onClose={() => setDialog(null)} />}
      {dialog === "end" && (
        <ActionDialog
          title={shared?.build ?? texts.rollout}
          action={texts.end}
          onClose={() => setDialog(null)}
          stale={["GET /admin/fleet", "GET /admin/bridges"]}
          onConfirm={({ reason, idempotencyKey }) => api("DELETE /admin/fleet/rollout", { reason }, { idempotencyKey })}
        >
          <p>{texts.endAbout}</p>
        </ActionDialog>
      )}
    </>
  );
}

function RolloutFacts({ rollout }: { rollout: NonNullable<State["rollout"]> }) {
  const texts = useTexts(ADMIN).fleet;
  return (
    <>
      {rollout.rejected_for !== null && (
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <Badge tone="bad">{texts.rejected}</Badge>
          <span className="break-words">{`${rollout.rejected_for}: ${rejection(texts.meanings, rollout.rejected_for)}`}</span>
        </p>
      )}
      <Facts
        facts={[
          [
            texts.build,
            <span key="build" className="wrap-anywhere">
              {rollout.build}
            </span>,
          ],
          [texts.part, texts.percent(rollout.percent)],
          [texts.named, texts.count(rollout.instance_ids.length)],
          [texts.changed, <When key="changed" time={rollout.changed_at} />],
        ]}
      />
    </>
  );
}

function SetRollout({ rollout, builds, onClose }: { rollout: State["rollout"]; builds: readonly string[]; onClose: () => void }) {
  const texts = useTexts(ADMIN).fleet;
  const list = useId();
  return (
    <ActionDialog
      title={texts.rollout}
      action={texts.share}
      onClose={onClose}
      stale={["GET /admin/fleet", "GET /admin/bridges"]}
      onConfirm={({ reason, fields, idempotencyKey }) =>
        api(
          "PUT /admin/fleet/rollout",
          {
            reason,
            build: textOf(fields, "build"),
            percent: Number(textOf(fields, "percent")),
            instance_ids: idsOf(textOf(fields, "instance_ids")),
          },
          { idempotencyKey },
        )
      }
    >
      <p>{texts.shareAbout}</p>
      <TextField
        label={texts.build}
        name="build"
        hint={texts.buildHint(builds)}
        defaultValue={rollout?.build ?? ""}
        characters={MAX_BUILD_CHARACTERS}
        list={list}
        autoComplete="off"
        required
      />
      <datalist id={list}>
        {builds.map((build) => (
          <option key={build}>{build}</option>
        ))}
      </datalist>
      <TextField
        label={texts.partInPercent}
        name="percent"
        type="number"
        min={0}
        max={100}
        step="any"
        hint={texts.partHint}
        defaultValue={rollout?.percent ?? 0}
        required
      />
      <TextArea
        label={texts.named}
        name="instance_ids"
        hint={texts.namedHint}
        defaultValue={rollout?.instance_ids.join("\n") ?? ""}
        characters={MAX_IDS_CHARACTERS}
      />
    </ActionDialog>
  );
}

function Name({ trouble }: { trouble: Trouble }) {
  return <span className="font-semibold break-words">{nameOf(trouble)}</span>;
}

function Lines({ lines }: { lines: readonly string[] }) {
  return (
    <ul className="grid gap-1">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

const nameOf = ({ kind, code }: Trouble): string => `${kind} ${code}`;

function rejection(meanings: Readonly<Record<string, string>>, trouble: string): string {
  const [kind = "", code = ""] = trouble.split(" ", 2);
  return meaningOf(meanings, { kind, code });
}
