// Results of the search for any id, each with a link to its page.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ResponseBody, reading } from "../../api/client.ts";
import { Badge } from "../../ui/badge.tsx";
import { PhoneNumber } from "../../ui/phone.tsx";
import { Empty, Query } from "../../ui/states.tsx";
import { When } from "../../ui/when.tsx";
import { NOW } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";

type Result = ResponseBody<"GET /admin/find">["data"];
type Found = Result["found"][number];

export function Search({ q }: { q: string }) {
  const texts = useTexts(NOW).search;
  const result = useQuery({ ...reading("GET /admin/find", { q }), placeholderData: () => undefined });
  return (
    <section aria-label={texts.results} className="min-w-0 rounded-lg bg-surface">
      <Query result={result}>
        {({ data: { found, instances } }) => (
          <>
            {found.length === 0 ? (
              <Empty title={texts.none} text={texts.noneText} />
            ) : (
              <ul className="divide-y divide-line">
                {found.map((each) => (
                  <Line key={`${each.kind} ${each.id} ${each.instance?.id ?? ""} ${each.at ?? ""}`} found={each} />
                ))}
              </ul>
            )}
            {instances !== null && <p className="px-4 pb-3 text-sm text-soft">{texts.asked(instances.asked, instances.of)}</p>}
          </>
        )}
      </Query>
    </section>
  );
}

function Line({ found }: { found: Found }) {
  const texts = useTexts(NOW).search;
  const { kind, title, detail, at, instance } = found;
  return (
    <li className="relative grid gap-0.5 px-4 py-3 hover:bg-tint">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Badge>{texts.kinds[kind]}</Badge>
        <Place found={found} />
      </p>
      <p className="flex flex-wrap gap-x-3 text-soft wrap-anywhere">
        {detail !== null && <span>{detail}</span>}
        {instance !== null && (
          <>
            {title !== instance.name && <span>{instance.name}</span>}
            {instance.phone !== null && <PhoneNumber digits={instance.phone} />}
            <span>{instance.owner.email}</span>
          </>
        )}
        {at !== null && <When time={at} plain />}
      </p>
    </li>
  );
}

const LINK = "min-w-0 font-semibold wrap-anywhere underline-offset-2 after:absolute after:inset-0 hover:underline";

function Place({ found: { kind, id, title, detail, instance } }: { found: Found }) {
  const texts = useTexts(NOW).search;
  const shared = { className: LINK, "aria-label": texts.open(texts.kinds[kind], title), children: title };
  if (instance !== null) {
    const opened = kind === "delivery" ? { webhooks: instance.id } : {};
    return <Link to="/admin/instances" search={{ q: instance.id, ...opened } as never} {...shared} />;
  }
  switch (kind) {
    case "user":
      return <Link to="/admin/users" search={{ q: title, user: id } as never} {...shared} />;
    case "key":
    case "webhook":
      return <Link to="/admin/users" search={{ q: detail ?? "" } as never} {...shared} />;
    case "audit":
      return <Link to="/admin/audit" search={{ target: id } as never} {...shared} />;
    case "proxy":
      return <Link to="/admin/proxies" search={{ proxy: id } as never} {...shared} />;
    default:
      return <Link to="/admin/fleet" hash="bridges" {...shared} />;
  }
}
