// All bridges together: alarms, what went wrong on the network, the client version, the build that has a share, and each bridge.
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useId, useState } from "react";
import { api, type Answer, reading } from "../../api/client.ts";
import { announcedBy, buildsOf, idsOf, meaningOf, newestServed, VERSION_PATTERN } from "../../domain/fleet.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Facts } from "../../ui/facts.tsx";
import { fieldText, TextArea, TextField } from "../../ui/forms/field.tsx";
import { PageTitle } from "../../ui/heading.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Query } from "../../ui/states.tsx";
import { Rows } from "../../ui/table.tsx";
import { When } from "../../ui/when.tsx";
import { ADMIN } from "../../words/areas.ts";
import { useWords } from "../../words/words.ts";
import { ActDialog } from "./act.tsx";
import { Bridges } from "./bridges.tsx";

type State = Answer<"GET /admin/fleet">["data"];
type Bridge = Answer<"GET /admin/bridges">["data"][number];
type Version = Answer<"GET /admin/client-version">["data"];
type Trouble = { kind: string; code: string };

/** The bridges report every five seconds. */
const REPORT_INTERVAL_MS = 5_000;
const MAX_BUILD_CHARACTERS = 64;
const MAX_IDS_CHARACTERS = 100 * 40;

export function Fleet() {
  const words = useWords(ADMIN).fleet;
  const fleet = useQuery({ ...reading("GET /admin/fleet", {}), refetchInterval: REPORT_INTERVAL_MS });
  const bridges = useQuery({ ...reading("GET /admin/bridges", {}), refetchInterval: REPORT_INTERVAL_MS });
  const version = useQuery({ ...reading("GET /admin/client-version", {}), refetchInterval: REPORT_INTERVAL_MS });
  const known = bridges.data?.data ?? [];
  return (
    <>
      <PageTitle>{words.title}</PageTitle>
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

type FleetProps = { result: UseQueryResult<Answer<"GET /admin/fleet">> };

function Alarms({ result }: FleetProps) {
  const words = useWords(ADMIN).fleet;
  return (
    <Panel title={words.alarms} flush>
      <Query result={result}>{({ data }) => <AlarmState state={data} />}</Query>
    </Panel>
  );
}

function AlarmState({ state: { alarms, sessions, away } }: { state: State }) {
  const words = useWords(ADMIN).fleet;
  return (
    <>
      <p role="status" className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5">
        <Badge tone={alarms.length === 0 ? "good" : "bad"}>{words.raised(alarms.length)}</Badge>
        <span>{words.lines(sessions, away)}</span>
      </p>
      {alarms.length > 0 && (
        <div className="border-t border-line">
          <Rows
            caption={words.alarms}
            rows={alarms}
            keyOf={nameOf}
            columns={[
              { id: "alarm", header: words.alarm, cell: (alarm) => <Name of={alarm} /> },
              { id: "meaning", header: words.meaning, cell: (alarm) => meaningOf(words.meanings, alarm) },
              { id: "sessions", header: words.atMost, numeric: true, cell: (alarm) => words.count(alarm.sessions) },
              { id: "since", header: words.since, cell: (alarm) => <When time={alarm.raised_at} /> },
            ]}
          />
        </div>
      )}
    </>
  );
}

function Troubles({ result }: FleetProps) {
  const words = useWords(ADMIN).fleet;
  return (
    <Panel title={words.troubles} about={words.troublesAbout} flush>
      <Query result={result}>
        {({ data: { troubles } }) =>
          troubles.length === 0 ? (
            <p className="p-4 text-soft">{words.noTroubles}</p>
          ) : (
            <Rows
              caption={words.troubles}
              rows={troubles.toSorted((a, b) => b.sessions - a.sessions || b.total - a.total)}
              keyOf={nameOf}
              columns={[
                { id: "trouble", header: words.trouble, cell: (trouble) => <Name of={trouble} /> },
                { id: "meaning", header: words.meaning, wideOnly: true, cell: (trouble) => meaningOf(words.meanings, trouble) },
                { id: "sessions", header: words.lately, numeric: true, cell: ({ sessions }) => words.count(sessions) },
                { id: "total", header: words.total, numeric: true, cell: ({ total }) => words.count(total) },
              ]}
            />
          )
        }
      </Query>
    </Panel>
  );
}

function ClientVersion({ result, bridges }: { result: UseQueryResult<Answer<"GET /admin/client-version">>; bridges: readonly Bridge[] }) {
  const { fleet: words, bridges: ofBridges } = useWords(ADMIN);
  const [setting, setSetting] = useState<Version | null>(null);
  const announced = announcedBy(bridges).map(
    ({ version, source, bridges: count }) => `${version} (${ofBridges.sources[source]}), ${words.onBridges(count)}`,
  );
  return (
    <>
      <Query result={result}>
        {({ data }) => (
          <Panel
            title={words.version}
            about={words.versionAbout}
            actions={<Button onClick={() => setSetting(data)}>{words.setVersion}</Button>}
          >
            <Facts
              facts={[
                [words.announced, announced.length === 0 ? words.noneYet : <Lines key="announced" lines={announced} />],
                [words.served, newestServed(bridges) ?? words.noneYet],
                [words.byHand, data.version ?? words.notSet],
                [words.newest, data.max ?? words.any],
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
  const words = useWords(ADMIN).fleet;
  const given = (fields: FormData, name: string) => (fieldText(fields, name).trim() === "" ? null : fieldText(fields, name).trim());
  const field = { pattern: VERSION_PATTERN, title: words.likeThis, placeholder: "2.3000.1043857760", autoComplete: "off" };
  return (
    <ActDialog
      title={words.version}
      action={words.setVersion}
      onClose={onClose}
      stale={["GET /admin/client-version", "GET /admin/bridges", "GET /admin/fleet"]}
      onAct={({ reason, fields, click }) =>
        api("PUT /admin/client-version", { reason, version: given(fields, "version"), max: given(fields, "max") }, { click })
      }
    >
      <p>{words.setVersionAbout}</p>
      <TextField label={words.byHand} name="version" hint={words.byHandHint} defaultValue={setting.version ?? ""} {...field} />
      <TextField label={words.newest} name="max" hint={words.newestHint} defaultValue={setting.max ?? ""} {...field} />
    </ActDialog>
  );
}

function Rollout({ result, bridges }: FleetProps & { bridges: readonly Bridge[] }) {
  const words = useWords(ADMIN).fleet;
  const [act, setAct] = useState<"share" | "end" | null>(null);
  const shared = result.data?.data.rollout ?? null;
  return (
    <>
      <Query result={result}>
        {({ data: { rollout } }) => (
          <Panel
            title={words.rollout}
            about={words.rolloutAbout}
            actions={
              <>
                {rollout !== null && <Button onClick={() => setAct("end")}>{words.end}</Button>}
                <Button onClick={() => setAct("share")}>{words.share}</Button>
              </>
            }
          >
            {rollout === null ? <p>{words.noRollout}</p> : <Share rollout={rollout} />}
          </Panel>
        )}
      </Query>
      {act === "share" && <SetShare rollout={shared} builds={buildsOf(bridges)} onClose={() => setAct(null)} />}
      {act === "end" && (
        <ActDialog
          title={shared?.build ?? words.rollout}
          action={words.end}
          onClose={() => setAct(null)}
          stale={["GET /admin/fleet", "GET /admin/bridges"]}
          onAct={({ reason, click }) => api("DELETE /admin/fleet/rollout", { reason }, { click })}
        >
          <p>{words.endAbout}</p>
        </ActDialog>
      )}
    </>
  );
}

function Share({ rollout }: { rollout: NonNullable<State["rollout"]> }) {
  const words = useWords(ADMIN).fleet;
  return (
    <>
      {rollout.rejected_for !== null && (
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <Badge tone="bad">{words.rejected}</Badge>
          <span className="break-words">{`${rollout.rejected_for}: ${rejection(words.meanings, rollout.rejected_for)}`}</span>
        </p>
      )}
      <Facts
        facts={[
          [
            words.build,
            <span key="build" className="wrap-anywhere">
              {rollout.build}
            </span>,
          ],
          [words.part, words.percent(rollout.percent)],
          [words.named, words.count(rollout.instance_ids.length)],
          [words.changed, <When key="changed" time={rollout.changed_at} />],
        ]}
      />
    </>
  );
}

function SetShare({ rollout, builds, onClose }: { rollout: State["rollout"]; builds: readonly string[]; onClose: () => void }) {
  const words = useWords(ADMIN).fleet;
  const list = useId();
  return (
    <ActDialog
      title={words.rollout}
      action={words.share}
      onClose={onClose}
      stale={["GET /admin/fleet", "GET /admin/bridges"]}
      onAct={({ reason, fields, click }) =>
        api(
          "PUT /admin/fleet/rollout",
          {
            reason,
            build: fieldText(fields, "build"),
            percent: Number(fieldText(fields, "percent")),
            instance_ids: idsOf(fieldText(fields, "instance_ids")),
          },
          { click },
        )
      }
    >
      <p>{words.shareAbout}</p>
      <TextField
        label={words.build}
        name="build"
        hint={words.buildHint(builds)}
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
        label={words.partInPercent}
        name="percent"
        type="number"
        min={0}
        max={100}
        step="any"
        hint={words.partHint}
        defaultValue={rollout?.percent ?? 0}
        required
      />
      <TextArea
        label={words.named}
        name="instance_ids"
        hint={words.namedHint}
        defaultValue={rollout?.instance_ids.join("\n") ?? ""}
        characters={MAX_IDS_CHARACTERS}
      />
    </ActDialog>
  );
}

function Name({ of }: { of: Trouble }) {
  return <span className="font-semibold break-words">{nameOf(of)}</span>;
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
