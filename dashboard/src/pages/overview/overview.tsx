import { tickOf } from "@gateway/domain/statistics/tick.ts";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { Suspense, useState } from "react";
import { Ellipsis, LogOut, MessagesSquare, Power, RotateCw } from "lucide-react";
import { useChange } from "../../api/cache.ts";
import { reading } from "../../api/client.ts";
import { useFresh } from "../../api/fresh.ts";
import { type Refused, refusalText } from "../../api/refused.ts";
import { buttonsFor } from "../../domain/overview.ts";
import { stripHours } from "../../domain/strip.ts";
import type { InstanceStatus } from "@gateway/protocol/connection.ts";
import { Button, ButtonLink, buttonClass } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/forms/form-dialog.tsx";
import { Strip } from "../../ui/graphics/strip.tsx";
import { TimeChart } from "../../ui/graphics/time-chart.tsx";
import { timeFormat } from "../../domain/formats.ts";
import { PageTitle } from "../../ui/heading.tsx";
import { Avatar } from "../../ui/avatar.tsx";
import { Menu, type MenuItem } from "../../ui/menu.tsx";
import { OwnPhone } from "../../ui/phone.tsx";
import { StatusText } from "../../ui/status.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Support } from "../../ui/support.tsx";
import { useRole } from "../../ui/role-gate.tsx";
import { Loading, Query } from "../../ui/states.tsx";
import { toast } from "../../ui/toast.tsx";
import { When } from "../../ui/when.tsx";
import { REASONS, OVERVIEW } from "../../texts/catalogs.ts";
import { locale, useLanguage } from "../../texts/language.ts";
import { useTexts } from "../../texts/catalog.ts";
import { Beginning } from "./beginning.tsx";
import { Facts, type Connection } from "./facts.tsx";
import { FirstSteps, useFirstSteps } from "./first-steps.tsx";
import { Health } from "./health.tsx";
import { lazyPart } from "../../ui/loading/lazy-part.tsx";

const CloudNumber = lazyPart(() => import("./cloud-number.tsx").then(({ CloudNumber: component }) => component));
const CloudState = lazyPart(() => import("./cloud-number.tsx").then(({ CloudState: component }) => component));

/** Messages that arrive within this time are counted together. */
const COUNTED_MS = 2_000;
const AFTER_CHANGE = ["GET /connections/{id}", "GET /connections"] as const;

export function Overview() {
  const { id } = useParams({ from: "/in/connections/$id" });
  const record = useQuery(reading("GET /connections/{id}", { id }));
  return <Query result={record}>{({ data }) => <Known id={id} connection={data} />}</Query>;
}

function Known({ id, connection }: { id: string; connection: Connection }) {
  const first = useFirstSteps(connection);
  const { kind, status, cloud_api } = connection;
  const fresh = isNew(connection);
  return (
    <>
      <State connection={connection} />
      <NoSubscription connection={connection} />
      {first === undefined ? (
        <Loading lines={6} />
      ) : (
        <>
          {first !== null && <FirstSteps connection={connection} {...first} />}
          {!fresh && <Activity id={id} status={status} />}
          <div className="grid items-start gap-4 min-[1100px]:has-[>:nth-child(2)]:grid-cols-2">
            {!fresh && <Health id={id} kind={kind} isConnected={status === "connected"} />}
            <div className="grid gap-4">
              {cloud_api !== null && (
                <Suspense>
                  <CloudNumber connection={connection} number={cloud_api} />
                </Suspense>
              )}
              <Facts connection={connection} isNew={fresh} />
            </div>
          </div>
        </>
      )}
    </>
  );
}

/** A number that was never connected has no figures to show. */
const isNew = ({ kind, last_connected_at }: Connection): boolean => kind === "session" && last_connected_at === null;

function NoSubscription({ connection: { subscription, role, status } }: { connection: Connection }) {
  const texts = useTexts(OVERVIEW);
  if (status === null || subscription === null || subscription.status === "active" || subscription.status === "trialing") return null;
  return (
    <section role="status" className="rounded-md border border-attention bg-surface px-4 py-3">
      <p className="font-semibold text-attention">{texts.noSubscription}</p>
      <p>{texts.noSubscriptionText(role === "owner")}</p>
      {role === "owner" && <Subscribe />}
    </section>
  );
}

function Subscribe() {
  const texts = useTexts(OVERVIEW);
  const me = useQuery(reading("GET /me", {})).data?.data;
  if (me === undefined) return null;
  if (me.billing_url === null) return <Support />;
  return (
    <a href={me.billing_url} rel="noreferrer" className={buttonClass("primary", "mt-2")}>
      {texts.subscribe}
    </a>
  );
}

function State({ connection }: { connection: Connection }) {
  const texts = useTexts(OVERVIEW);
  const reasons = useTexts(REASONS);
  const { id, kind, name, phone, last_phone, profile_name, status, status_reason, status_changed_at, reconnect, ban, role } = connection;
  const reason =
    status !== null && status_reason !== null && Object.hasOwn(reasons, status_reason)
      ? reasons[status_reason as keyof typeof reasons]
      : null;
  const isBeginning = reason !== null && isNew(connection);
  const [leaving, setLeaving] = useState(false);
  // The health panel keeps this query up to date.
  const health = useQuery(reading("GET /connections/{id}/health", { id: String(id) })).data?.data;
  const logout = useChange("POST /connections/{id}/logout", AFTER_CHANGE);
  const buttons = <Buttons connection={connection} onLeave={() => setLeaving(true)} />;
  return (
    <section aria-label={texts.state} className="grid gap-3">
      <header className="flex flex-wrap items-start gap-x-4 gap-y-3">
        <Avatar name={profile_name ?? name} />
        <div className="min-w-0 grow basis-48">
          <PageTitle>{name}</PageTitle>
          {(phone !== null || last_phone !== null) && (
            <p className="text-soft">
              <OwnPhone digits={phone} last={last_phone} />
              {profile_name !== null && profile_name !== name && <span className="private"> · {profile_name}</span>}
            </p>
          )}
        </div>
        {!isBeginning && buttons}
      </header>
      <p className={isBeginning ? "" : "text-lg"} role="status">
        <StatusText
          status={status}
          reason={status_reason}
          since={status_changed_at}
          long={kind === "session" && !isBeginning}
          isRefused={health?.level === "restricted"}
        />
      </p>
      {kind === "cloud_api" && (
        <Suspense>
          <CloudState status={status} reason={status_reason} />
        </Suspense>
      )}
      {reconnect !== null && (
        <p>
          {texts.attempt(reconnect.attempt)} <When time={reconnect.next_at} />.
        </p>
      )}
      {ban !== null && <BanFacts {...ban} />}
      {isBeginning ? (
        <Beginning title={reason.happened} text={reason.next}>
          {buttons}
        </Beginning>
      ) : (
        reason !== null &&
        status_reason !== "ok" &&
        kind === "session" && (
          <p className="max-w-prose">
            <span className="font-semibold">{texts.next}: </span>
            {reason.next}
          </p>
        )
      )}
      <ConfirmDialog
        open={leaving && role === "owner"}
        onClose={() => setLeaving(false)}
        title={texts.logoutTitle(name)}
        lost={
          <>
            <p>{texts.logoutLost}</p>
            <p>{texts.logoutNotice}</p>
            <p className="text-soft">{texts.logoutKept}</p>
          </>
        }
        typed={name}
        action={texts.logout}
        onConfirm={async () => {
          await logout.mutateAsync({ id });
          toast(texts.loggedOut);
        }}
      />
    </section>
  );
}

function BanFacts({ code, ends_at }: NonNullable<Connection["ban"]>) {
  const texts = useTexts(OVERVIEW).ban;
  const why = code === null ? null : (texts.why[code] ?? texts.code(code));
  return (
    <p className="max-w-prose">
      {why !== null && <>{why} </>}
      {ends_at === null ? (
        texts.noEnd
      ) : (
        <>
          {texts.until} <When time={ends_at} />. {texts.byItself}
        </>
      )}
    </p>
  );
}

function Buttons({ connection: { id, status, status_reason, lacks }, onLeave }: { connection: Connection; onLeave: () => void }) {
  const texts = useTexts(OVERVIEW);
  const language = useLanguage();
  const { operatorOnly, ownerOnly } = useRole();
  const connect = useChange("POST /connections/{id}/connect", AFTER_CHANGE);
  const restart = useChange("POST /connections/{id}/restart", AFTER_CHANGE);
  const disconnect = useChange("POST /connections/{id}/disconnect", AFTER_CHANGE);
  const onError = (refused: Refused) => toast(refusalText(refused, language), { kind: "bad" });
  const reconnect = () => connect.mutate({ id, force_new_pairing: false }, { onSuccess: () => toast(texts.connecting), onError });
  const buttons = buttonsFor(status, status_reason, !lacks.includes("pairing"));
  const params = { id: String(id) };
  const isCloud = lacks.includes("pairing");
  const may = operatorOnly === undefined ? {} : { why: operatorOnly };
  const items: MenuItem[] = [];
  if (buttons === "online") {
    const restarted = () => toast(isCloud ? texts.restartedCloud : texts.restarted);
    const disconnected = () =>
      toast(isCloud ? texts.disconnectedCloud : texts.disconnected, { action: { label: texts.undo, onSelect: reconnect } });
    items.push(
      { label: texts.restart, icon: RotateCw, ...may, onSelect: () => restart.mutate({ id }, { onSuccess: restarted, onError }) },
      { label: texts.disconnect, icon: Power, ...may, onSelect: () => disconnect.mutate({ id }, { onSuccess: disconnected, onError }) },
    );
  }
  if (buttons !== null && status_reason !== "created" && status_reason !== "logged_out" && !lacks.includes("logout"))
    items.push({
      label: texts.logout,
      icon: LogOut,
      danger: true,
      ...(ownerOnly === undefined ? {} : { why: ownerOnly }),
      onSelect: onLeave,
    });
  return (
    <div role="group" aria-label={texts.actions} className="flex flex-wrap gap-2">
      {buttons === "pair" &&
        (operatorOnly === undefined ? (
          <ButtonLink to="/connections/$id/pair" params={params} kind="primary">
            {texts.pair}
          </ButtonLink>
        ) : (
          <Button kind="primary" why={operatorOnly}>
            {texts.pair}
          </Button>
        ))}
      {buttons === "connect" && (
        <Button kind="primary" icon={Power} busy={connect.isPending} why={operatorOnly} onClick={reconnect}>
          {texts.connect}
        </Button>
      )}
      {buttons === "online" && (
        <ButtonLink to="/connections/$id/chats" params={params} kind="primary" icon={MessagesSquare}>
          {texts.openChats}
        </ButtonLink>
      )}
      {items.length > 0 && (
        <Menu
          label={<Ellipsis size={18} aria-hidden />}
          name={texts.more}
          items={items}
          align="end"
          className="w-11 !px-0 pointer-fine:w-9"
          bare
        />
      )}
    </div>
  );
}

function Activity({ id, status }: { id: string; status: InstanceStatus | null }) {
  const texts = useTexts(OVERVIEW).activity;
  const language = useLanguage();
  const hour = timeFormat(locale(language));
  const hours = useQuery(reading("GET /connections/{id}/activity", { id, hours: 24 }));
  useFresh("events", ["GET /connections/{id}/activity", "GET /connections/{id}/health"], COUNTED_MS);
  return (
    <Panel
      title={texts.title}
      actions={
        <Link to="/connections/$id/logs" params={{ id }} className="underline underline-offset-2">
          {texts.logs}
        </Link>
      }
    >
      <Query result={hours} lines={9}>
        {({ data }) => {
          const ticks = data.map((hour) => ({ ...tickOf({ ...hour, at: Date.parse(hour.at) }), at: hour.at }));
          return (
            <>
              <TimeChart
                label={texts.title}
                period={texts.hour}
                empty={texts.none}
                format={(value) => value.toLocaleString(locale(language))}
                series={[
                  { key: "received", label: texts.received, one: texts.one.received, tone: "edge" },
                  { key: "sent", label: texts.sent, one: texts.one.sent, tone: "accent" },
                  { key: "failed", label: texts.failed, one: texts.one.failed, tone: "bad" },
                ]}
                periods={data.map((at) => ({ at: at.at, label: hour.format(new Date(at.at)), values: at }))}
              />
              <Strip hours={stripHours(ticks, status)} now={status} large />
            </>
          );
        }}
      </Query>
    </Panel>
  );
}
