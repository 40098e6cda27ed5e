import { useQuery } from "@tanstack/react-query";
import { UserPlus } from "lucide-react";
import { useState } from "react";
import { api, type ResponseBody, reading } from "../../api/client.ts";
import { withoutEmpty, usePages } from "../../api/pages.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Drawer } from "../../ui/dialog.tsx";
import { textOf, Select, TextField } from "../../ui/forms/field.tsx";
import { FilterChips, FilterSearch, useFilter } from "../../ui/forms/filters.tsx";
import { PageTitle } from "../../ui/heading.tsx";
import { Paged } from "../../ui/pager.tsx";
import { Empty, Query } from "../../ui/states.tsx";
import { Rows } from "../../ui/table.tsx";
import { When } from "../../ui/when.tsx";
import { type TextsOf, useTexts } from "../../texts/catalog.ts";
import { ActionDialog } from "./action-dialog.tsx";
import { FactGrid } from "../../ui/facts.tsx";
import { ADMIN } from "../../texts/catalogs.ts";

type User = ResponseBody<"GET /admin/users">["data"][number];
type Texts = TextsOf<typeof ADMIN>;
const STALE = ["GET /admin/users", "GET /admin/users/{user_id}"] as const;
const STATUSES = ["active", "suspended"] as const;
const PLAN_STATUSES = ["active", "trialing", "past_due", "canceled"] as const;

export function Users() {
  const texts = useTexts(ADMIN).users;
  const [q] = useFilter("q");
  const [status] = useFilter("status");
  const [open, setOpen] = useFilter("user");
  const [isInviting, setInviting] = useState(false);
  const known = STATUSES.find((each) => each === status);
  const result = usePages("GET /admin/users", { ...withoutEmpty({ q }), ...(known === undefined ? {} : { status: known }) });
  return (
    <>
      <header className="flex flex-wrap items-start justify-between gap-3">
        <PageTitle>{texts.title}</PageTitle>
        <Button kind="primary" icon={UserPlus} onClick={() => setInviting(true)}>
          {texts.invite}
        </Button>
      </header>
      <search className="flex flex-wrap items-center gap-x-6 gap-y-2">
        <FilterSearch name="q" label={texts.search} />
        <FilterChips
          name="status"
          label={texts.status}
          every={texts.every}
          options={STATUSES.map((value) => ({ value, label: texts[value] }))}
        />
      </search>
      <section aria-label={texts.list} className="min-w-0 rounded-lg bg-surface">
        <Paged result={result} lines={8} empty={<Empty title={texts.none} />}>
          {(users) => <UserRows users={users} open={open} onOpen={setOpen} />}
        </Paged>
      </section>
      {open !== "" && <UserDrawer id={open} onClose={() => setOpen("")} />}
      {isInviting && <Invite onClose={() => setInviting(false)} />}
    </>
  );
}

function UserRows({ users, open, onOpen }: { users: readonly User[]; open: string; onOpen: (id: string) => void }) {
  const texts = useTexts(ADMIN).users;
  return (
    <Rows
      caption={texts.list}
      rows={users}
      keyOf={({ id }) => id}
      isCurrent={({ id }) => id === open}
      columns={userColumns(useTexts(ADMIN), onOpen)}
    />
  );
}

function userColumns({ users: texts, ...all }: Texts, onOpen: (id: string) => void) {
  return [
    {
      id: "user",
      header: texts.user,
      cell: ({ id, email, name }: User) => (
        <span className="grid min-w-0">
          <button
            type="button"
            aria-label={all.open(email)}
            onClick={() => onOpen(id)}
            className="min-h-6 text-left font-semibold break-all underline-offset-2 hover:underline"
          >
            {email}
          </button>
          <span className="break-words text-soft">{name}</span>
        </span>
      ),
    },
    { id: "status", header: texts.status, cell: (user: User) => <Marks user={user} /> },
    {
      id: "plan",
      header: texts.plan,
      cell: ({ subscription }: User) =>
        subscription === null ? (
          <span className="text-soft">{texts.noPlan}</span>
        ) : (
          `${subscription.plan} · ${texts.statuses[subscription.status]}`
        ),
    },
    {
      id: "instances",
      header: texts.instances,
      numeric: true,
      cell: ({ instances_count, subscription }: User) => texts.used(instances_count, subscription?.max_instances ?? null),
    },
    { id: "seen", header: texts.seen, cell: ({ last_seen_at }: User) => <When time={last_seen_at} /> },
  ];
}

function Marks({ user: { status, role, is_confirmed, removal_at } }: { user: User }) {
  const texts = useTexts(ADMIN).users;
  return (
    <span className="flex flex-wrap gap-1">
      <Badge tone={status === "active" ? "good" : "bad"}>{texts[status]}</Badge>
      {role === "admin" && <Badge tone="info">{texts.admin}</Badge>}
      {!is_confirmed && <Badge tone="attention">{texts.unconfirmed}</Badge>}
      {removal_at !== null && (
        <Badge tone="bad">
          {texts.removal} <When time={removal_at} plain />
        </Badge>
      )}
    </span>
  );
}

type DialogKind = "suspend" | "activate" | "subscription" | "role" | "remove";

function UserDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const texts = useTexts(ADMIN).users;
  const result = useQuery(reading("GET /admin/users/{user_id}", { user_id: id }));
  const [dialog, setDialog] = useState<DialogKind | null>(null);
  const title = result.data?.data.email ?? texts.user;
  return (
    <Drawer open onClose={onClose} title={title}>
      <Query result={result}>
        {({ data: user }) => (
          <div className="grid gap-4">
            <Marks user={user} />
            <FactGrid
              facts={[
                [texts.name, user.name],
                [texts.plan, user.subscription?.plan ?? texts.noPlan],
                ...(user.subscription === null ? [] : [[texts.planStatus, texts.statuses[user.subscription.status]] as const]),
                [texts.instances, texts.used(user.instances_count, user.subscription?.max_instances ?? null)],
                [texts.until, <When key="until" time={user.subscription?.current_period_end ?? null} none="–" />],
                [texts.since, <When key="since" time={user.created_at} />],
                [texts.seen, <When key="seen" time={user.last_seen_at} />],
              ]}
            />
            <div className="flex flex-wrap gap-2">
              {user.status === "suspended" && (
                <Button kind="primary" onClick={() => setDialog("activate")}>
                  {texts.activate}
                </Button>
              )}
              <Button onClick={() => setDialog("subscription")}>{user.subscription === null ? texts.subscribe : texts.subscription}</Button>
              <Button onClick={() => setDialog("role")}>{texts.change}</Button>
              <ButtonLink to="/admin/instances" search={{ q: user.email }}>
                {texts.theirs}
              </ButtonLink>
              <ButtonLink to="/admin/audit" search={{ target: user.id }}>
                {texts.audit}
              </ButtonLink>
            </div>
            <div className="flex flex-wrap gap-2 empty:hidden">
              {user.status === "active" && (
                <Button kind="danger" onClick={() => setDialog("suspend")}>
                  {texts.suspend}
                </Button>
              )}
              {user.removal_at === null && (
                <Button kind="danger" onClick={() => setDialog("remove")}>
                  {texts.remove}
                </Button>
              )}
            </div>
            {dialog !== null && <UserDialog user={user} dialog={dialog} onClose={() => setDialog(null)} />}
          </div>
        )}
      </Query>
    </Drawer>
  );
}

function UserDialog({ user, dialog, onClose }: { user: User; dialog: DialogKind; onClose: () => void }) {
  const texts = useTexts(ADMIN).users;
  const user_id = user.id;
  const action =
    dialog === "role" ? texts.change : dialog === "subscription" && user.subscription === null ? texts.subscribe : texts[dialog];
  const common = { title: texts.about(action, user.email), action, done: texts.done[dialog], onClose, stale: STALE };
  switch (dialog) {
    case "suspend":
      return (
        <ActionDialog
          {...common}
          danger
          onConfirm={({ reason, idempotencyKey }) => api("POST /admin/users/{user_id}/suspend", { user_id, reason }, { idempotencyKey })}
        >
          <p>{texts.suspendLost}</p>
        </ActionDialog>
      );
    case "activate":
      return (
        <ActionDialog
          {...common}
          onConfirm={({ reason, idempotencyKey }) => api("POST /admin/users/{user_id}/activate", { user_id, reason }, { idempotencyKey })}
        >
          <p>{texts.activateAbout}</p>
        </ActionDialog>
      );
    case "remove":
      return (
        <ActionDialog
          {...common}
          danger
          onConfirm={({ reason, idempotencyKey }) => api("DELETE /admin/users/{user_id}", { user_id, reason }, { idempotencyKey })}
        >
          <p>{texts.removeLost}</p>
        </ActionDialog>
      );
    case "role":
      return (
        <ActionDialog
          {...common}
          onConfirm={({ reason, fields, idempotencyKey }) =>
            api(
              "PATCH /admin/users/{user_id}",
              { user_id, reason, role: textOf(fields, "role") === "admin" ? "admin" : "user" },
              { idempotencyKey },
            )
          }
        >
          <RoleSelect current={user.role} />
        </ActionDialog>
      );
    case "subscription":
      return (
        <ActionDialog
          {...common}
          onConfirm={({ reason, fields, idempotencyKey }) =>
            api("PUT /admin/users/{user_id}/subscription", { user_id, reason, ...termsOf(fields) }, { idempotencyKey })
          }
        >
          <Terms subscription={user.subscription} />
        </ActionDialog>
      );
  }
}

function Invite({ onClose }: { onClose: () => void }) {
  const texts = useTexts(ADMIN).users;
  return (
    <ActionDialog
      title={texts.invite}
      action={texts.invite}
      done={texts.done.invite}
      onClose={onClose}
      stale={STALE}
      onConfirm={({ reason, fields, idempotencyKey }) =>
        api(
          "POST /admin/users",
          {
            reason,
            email: textOf(fields, "email"),
            name: textOf(fields, "name"),
            role: textOf(fields, "role") === "admin" ? "admin" : "user",
            subscription: termsOf(fields),
          },
          { idempotencyKey },
        )
      }
    >
      <p>{texts.inviteAbout}</p>
      <TextField label={texts.email} name="email" type="email" required autoComplete="off" data-autofocus />
      <TextField label={texts.name} name="name" characters={100} required autoComplete="off" />
      <RoleSelect current="user" />
      <Terms subscription={null} />
    </ActionDialog>
  );
}

function RoleSelect({ current }: { current: User["role"] }) {
  const texts = useTexts(ADMIN).users;
  const options = (["user", "admin"] as const).map((value) => ({ value, label: texts.roles[value] }));
  return <Select label={texts.role} name="role" defaultValue={current} options={options} />;
}

function Terms({ subscription }: { subscription: User["subscription"] }) {
  const texts = useTexts(ADMIN).users;
  return (
    <>
      <TextField label={texts.planName} name="plan" characters={60} required defaultValue={subscription?.plan ?? "pro"} />
      <Select
        label={texts.planStatus}
        name="status"
        defaultValue={subscription?.status ?? "active"}
        options={PLAN_STATUSES.map((value) => ({ value, label: texts.statuses[value] }))}
      />
      <TextField
        label={texts.most}
        name="max_instances"
        type="number"
        min={0}
        max={10_000}
        required
        defaultValue={subscription?.max_instances ?? 1}
      />
      <TextField
        label={texts.until}
        name="current_period_end"
        type="date"
        hint={texts.untilHint}
        defaultValue={subscription?.current_period_end?.slice(0, 10) ?? ""}
      />
    </>
  );
}

function termsOf(fields: FormData) {
  const end = textOf(fields, "current_period_end");
  const status = PLAN_STATUSES.find((each) => each === textOf(fields, "status")) ?? "active";
  return {
    plan: textOf(fields, "plan"),
    status,
    max_instances: Number(textOf(fields, "max_instances")),
    current_period_end: end === "" ? null : `${end}T23:59:59Z`,
  };
}
