import { Link } from "@tanstack/react-router";
import { memo } from "react";
import type { Answer } from "../../api/client.ts";
import { nextStep } from "../../domain/connection-list.ts";
import { stripHours } from "../../domain/strip.ts";
import { Badge } from "../../ui/badge.tsx";
import { Strip } from "../../ui/graphics/strip.tsx";
import { StatusText } from "../../ui/lamp.tsx";
import { PhoneNumber } from "../../ui/phone.tsx";
import { useTexts } from "../../texts/catalog.ts";
import { StepButton } from "./step.tsx";
import { CONNECTIONS } from "../../texts/catalogs.ts";

type Row = Answer<"GET /connections">["data"][number];

export const ConnectionRow = memo(function ConnectionRow({ row }: { row: Row }) {
  const texts = useTexts(CONNECTIONS);
  const { id, name, phone, status, status_reason, status_changed_at, role, activity } = row;
  return (
    <li
      data-connection={id}
      className="drawn-when-seen grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-0.5 border-b border-line px-4 py-2 last:border-b-0 min-[900px]:min-h-11 min-[900px]:grid-cols-[minmax(8rem,1fr)_9.5rem_minmax(17rem,2fr)_9rem_6.5rem] min-[900px]:py-1"
    >
      <span className="flex min-w-0 flex-wrap items-center gap-x-2">
        <Link
          to="/connections/$id"
          params={{ id: String(id) }}
          className="inline-flex min-h-11 min-w-0 items-center font-semibold break-words underline-offset-4 hover:underline pointer-fine:min-h-9"
        >
          {name}
        </Link>
        {role !== "owner" && <Badge>{texts.shared[role]}</Badge>}
      </span>
      <span className="row-start-3 min-[900px]:row-start-auto">
        {phone === null ? <span className="text-soft">{texts.noPhone}</span> : <PhoneNumber digits={phone} />}
      </span>
      <span className="col-span-2 row-start-2 min-w-0 min-[900px]:col-span-1 min-[900px]:row-start-auto">
        <StatusText status={status} reason={status_reason} since={status_changed_at} />
      </span>
      <span className="row-start-3 min-h-6 min-[900px]:row-start-auto">
        {activity !== undefined && <Strip hours={stripHours(activity)} />}
      </span>
      <span className="col-start-2 row-start-1 justify-self-end min-[900px]:col-start-auto min-[900px]:row-start-auto">
        <StepButton connection={row} step={nextStep(row)} />
      </span>
    </li>
  );
});
