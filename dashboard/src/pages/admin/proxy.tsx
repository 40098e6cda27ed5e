// One proxy: how it is doing, the numbers that it carries, and what can be done with it.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, reading } from "../../api/client.ts";
import { Button } from "../../ui/button.tsx";
import { Drawer } from "../../ui/dialog.tsx";
import { Check } from "../../ui/forms/tick.tsx";
import { Lamp, type ShownStatus } from "../../ui/lamp.tsx";
import { PhoneNumber } from "../../ui/phone.tsx";
import { Query } from "../../ui/states.tsx";
import { When } from "../../ui/when.tsx";
import { useWords } from "../../words/words.ts";
import { ActDialog, Facts } from "./act.tsx";
import { EditProxy, type Proxy, STALE } from "./proxy-forms.tsx";
import { ADMIN } from "../../words/areas.ts";

type ProxyStatus = Proxy["health"]["status"];
const LAMPS: Record<ProxyStatus, ShownStatus> = { healthy: "connected", degraded: "connecting", down: "failed", unknown: "disconnected" };

type StateOfProps = { proxy: Pick<Proxy, "label" | "health" | "is_active">; name?: boolean };

/** ● ◐ ▲ ○ with the word, and why the last check failed. */
export function StateOf({ proxy: { label, health, is_active: active }, name = false }: StateOfProps) {
  const words = useWords(ADMIN).proxies;
  return (
    <span className="inline-flex items-baseline gap-1.5" data-proxy-status={health.status}>
      <span className="self-center">
        <Lamp status={LAMPS[health.status]} />
      </span>
      <span className="min-w-0 wrap-anywhere">
        {name && (
          <span className="font-semibold">
            <bdi>{label}</bdi>:{" "}
          </span>
        )}
        <span className={name ? "" : "font-semibold"}>{words.statuses[health.status]}</span>
        {!active && <span className="text-soft"> – {words.inactive}</span>}
        {health.last_error !== null && <span className="text-soft"> – {words.errors[health.last_error]}</span>}
      </span>
    </span>
  );
}

/** The numbers that a proxy carries. */
export function Numbers({ id }: { id: string }) {
  const words = useWords(ADMIN).proxies;
  const proxy = useQuery(reading("GET /admin/proxies/{proxy_id}", { proxy_id: id })).data?.data;
  if (proxy === undefined) return null;
  if (proxy.instances.length === 0) return <p className="text-soft">{words.carriesNone}</p>;
  return (
    <ul aria-label={words.carries} className="flex flex-wrap gap-x-4 gap-y-1">
      {proxy.instances.map(({ id: instance, name, phone_number }) => (
        <li key={instance} className="break-words">
          {name}
          {phone_number !== null && (
            <>
              {" "}
              <PhoneNumber digits={phone_number} />
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

export function ProxyDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const words = useWords(ADMIN).proxies;
  const all = useWords(ADMIN);
  const result = useQuery(reading("GET /admin/proxies/{proxy_id}", { proxy_id: id }));
  const [act, setAct] = useState<"check" | "edit" | "remove" | null>(null);
  return (
    <Drawer open onClose={onClose} title={result.data?.data.label ?? words.proxy}>
      <Query result={result}>
        {({ data: proxy }) => (
          <div className="grid gap-4">
            <StateOf proxy={proxy} />
            <Facts
              facts={[
                [words.host, `${proxy.protocol}://${proxy.host}:${proxy.port}`],
                [words.username, proxy.username ?? "–"],
                [words.password, proxy.has_password ? all.yes : all.no],
                [words.country, proxy.country ?? "–"],
                [words.used, `${proxy.assigned} / ${proxy.max_instances}`],
                [words.isActive, proxy.is_active ? all.yes : all.no],
                [words.checked, <When key="checked" time={proxy.health.checked_at} />],
              ]}
            />
            <section>
              <h3>{words.carries}</h3>
              <Numbers id={proxy.id} />
            </section>
            <div className="flex flex-wrap gap-2">
              <Button kind="primary" onClick={() => setAct("check")}>
                {words.check}
              </Button>
              <Button onClick={() => setAct("edit")}>{words.edit}</Button>
              <Button kind="danger" onClick={() => setAct("remove")}>
                {words.remove}
              </Button>
            </div>
            {act === "check" && (
              <ActDialog
                title={proxy.label}
                action={words.check}
                onClose={() => setAct(null)}
                stale={STALE}
                onAct={({ reason, click }) => api("POST /admin/proxies/{proxy_id}/check", { proxy_id: id, reason }, { click })}
              />
            )}
            {act === "edit" && <EditProxy proxy={proxy} onClose={() => setAct(null)} />}
            {act === "remove" && (
              <ActDialog
                title={proxy.label}
                action={words.remove}
                danger
                onClose={() => setAct(null)}
                stale={["GET /admin/proxies", "GET /admin/proxies/health"]}
                onAct={async ({ reason, fields, click }) => {
                  await api("DELETE /admin/proxies/{proxy_id}", { proxy_id: id, reason, reassign: fields.has("reassign") }, { click });
                  onClose();
                }}
              >
                <p>{words.removeLost}</p>
                {proxy.assigned > 0 && <Check name="reassign" label={words.reassign} />}
              </ActDialog>
            )}
          </div>
        )}
      </Query>
    </Drawer>
  );
}
