// All routes of the dashboard. Each is a separate constant, because routes declared inside `addChildren` would lose their types.
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, notFound, redirect } from "@tanstack/react-router";
import { forOwner, connectionLoader, prefetchPages, prefetch, waitBriefly } from "./api/prefetch.ts";
import { reading } from "./api/client.ts";
import { queries } from "./api/cache.ts";
import { listReading, type ListSearch, listSearch } from "./pages/connections/search.ts";
import { NotFound, NotFoundPage, PageError, WholePageError } from "./shell/page-error.tsx";
import { reloadIfStale } from "./shell/deployment.ts";
import { Root } from "./shell/root.tsx";
import { Shell } from "./shell/shell.tsx";
import {
  ACCOUNT,
  ADMIN,
  CHATS,
  CONNECTIONS,
  DELIVERIES,
  EVENTS,
  INTEGRATIONS,
  LOGS,
  NOW,
  OVERVIEW,
  PAIR,
  PAIRING_LINK,
  SETTINGS,
  SHELL,
  SIGN_IN,
  UI,
} from "./texts/catalogs.ts";

async function together<M>(page: Promise<M>, ...texts: readonly { load: () => Promise<unknown> }[]): Promise<M> {
  const [module] = await Promise.all([page, ...texts.map(({ load }) => load())]);
  return module;
}

/** Waits only for the first list, because a change of the filter must respond immediately. */
async function firstList(search: ListSearch): Promise<void> {
  if (queries.getQueriesData({ queryKey: ["GET /connections"] }).length === 0)
    await waitBriefly([queries.prefetchQuery(listReading(search))]);
}

const root = createRootRoute({
  component: Root,
  notFoundComponent: NotFoundPage,
  errorComponent: WholePageError,
  beforeLoad: async ({ location, preload }) => {
    // After a deployment, loads the next page from the server. The promise never resolves, because the document is being replaced.
    if (!preload && (await reloadIfStale(location.href))) await new Promise(() => undefined);
    await Promise.all([UI.load(), SHELL.load()]);
  },
});

/** `to`: the URL that the user requested. `out`: the user has just signed out. `error` and `request` come from an external issuer. */
type Returning = { to?: string | undefined; out?: string | undefined; error?: string | undefined; request?: string | undefined };

/** Sets every known parameter, and drops all others. */
function returning(search: Record<string, unknown>): Returning {
  const text = (value: unknown) => (typeof value === "string" ? value : undefined);
  const to = text(search["to"]);
  return {
    to: to !== undefined && /^\/(?![/\\])/.test(to) ? to : undefined,
    out: text(search["out"]),
    error: text(search["error"]),
    request: text(search["request"]),
  };
}

async function onlySignedOut({ search }: { search: Returning }): Promise<"embedded" | "issuer"> {
  const { data } = await queries.fetchQuery({ ...reading("GET /session", {}), staleTime: 0 });
  if (data.user !== null) throw redirect({ href: search.to ?? "/", replace: true });
  return data.identity.kind;
}

/** With an external issuer, accounts and passwords are managed by the issuer. */
async function onlyEmbedded(): Promise<void> {
  if ((await onlySignedOut({ search: {} })) === "issuer") throw redirect({ to: "/sign-in", replace: true });
}

type IntegrationsDialog = { add?: "key"; rotate?: string; second?: string };

/** Identifies the open dialog: one that creates a key, or one that rotates a key, with the id of the second key. */
function integrationsDialog(search: Record<string, unknown>): IntegrationsDialog {
  const { add, rotate, second } = search;
  return {
    ...(add === "key" && { add }),
    ...(typeof rotate === "string" && { rotate }),
    ...(typeof second === "string" && { second }),
  };
}
type Searching = { q?: string };
const searching = ({ q }: Record<string, unknown>): Searching => (typeof q === "string" && q !== "" ? { q } : {});

/** Administrators without connections look after other people's, so they start on the "Now" page. */
const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: async () => {
    const { data } = await queries.ensureQueryData(reading("GET /session", {}));
    const isAdmin = data.user?.role === "admin";
    if (isAdmin) await queries.prefetchQuery(listReading({}));
    const hasNone = isAdmin && queries.getQueryData(listReading({}).queryKey)?.data.length === 0;
    throw redirect({ to: hasNone ? "/admin/now" : "/connections", replace: true });
  },
});
const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: returning,
  beforeLoad: async (given) => {
    await onlySignedOut(given);
  },
  component: lazyRouteComponent(() => together(import("./pages/sign-in/sign-in.tsx"), SIGN_IN), "SignIn"),
});
const signUp = createRoute({
  getParentRoute: () => root,
  path: "/sign-up",
  beforeLoad: onlyEmbedded,
  component: lazyRouteComponent(() => together(import("./pages/sign-in/mailed-link.tsx"), SIGN_IN), "SignUp"),
});
const forgot = createRoute({
  getParentRoute: () => root,
  path: "/forgot",
  beforeLoad: onlyEmbedded,
  component: lazyRouteComponent(() => together(import("./pages/sign-in/mailed-link.tsx"), SIGN_IN), "Forgot"),
});
const suspended = createRoute({
  getParentRoute: () => root,
  path: "/suspended",
  component: lazyRouteComponent(() => import("./shell/suspended.tsx"), "Suspended"),
});
const pairingLink = createRoute({
  getParentRoute: () => root,
  path: "/pair",
  component: lazyRouteComponent(() => together(import("./pages/pairing-link/pairing-link.tsx"), PAIRING_LINK), "PairingLink"),
});

const inside = createRoute({
  getParentRoute: () => root,
  id: "in",
  beforeLoad: async ({ location }) => {
    const { data } = await queries.ensureQueryData(reading("GET /session", {}));
    if (data.suspended) throw redirect({ to: "/suspended", replace: true });
    if (data.user === null)
      throw redirect({ to: "/sign-in", search: { to: location.href === "/connections" ? undefined : location.href }, replace: true });
    return { user: data.user, sandbox: data.sandbox };
  },
  component: Shell,
  notFoundComponent: NotFoundPage,
  errorComponent: WholePageError,
});
const connections = createRoute({
  getParentRoute: () => inside,
  path: "/connections",
  validateSearch: listSearch,
  beforeLoad: ({ search }) => firstList(search),
  component: lazyRouteComponent(() => together(import("./pages/connections/connections.tsx"), CONNECTIONS), "Connections"),
});
const connection = createRoute({
  getParentRoute: () => inside,
  path: "/connections/$id",
  loader: connectionLoader((id) => [prefetch("GET /connections/{id}", { id })]),
  component: lazyRouteComponent(() => import("./shell/connection.tsx"), "ConnectionFrame"),
  notFoundComponent: NotFound,
});
const overview = createRoute({
  getParentRoute: () => connection,
  path: "/",
  loader: connectionLoader((id) => [
    prefetch("GET /connections/{id}/activity", { id, hours: 24 }),
    prefetch("GET /connections/{id}/health", { id }),
    ...forOwner(id, () => [
      prefetch("GET /connections/{id}/keys", { id }),
      prefetch("GET /connections/{id}/webhook", { id }),
      prefetch("GET /connections/{id}/activity", { id, hours: 168 }),
    ]),
  ]),
  component: lazyRouteComponent(() => together(import("./pages/overview/overview.tsx"), OVERVIEW), "Overview"),
});
const pair = createRoute({
  getParentRoute: () => connection,
  path: "/pair",
  validateSearch: ({ by }): { by?: "qr" | "code" } => (by === "qr" || by === "code" ? { by } : {}),
  component: lazyRouteComponent(() => together(import("./pages/pair/pair.tsx"), PAIR), "Pair"),
});
const chats = createRoute({
  getParentRoute: () => connection,
  path: "/chats",
  validateSearch: searching,
  loader: connectionLoader((id) => [prefetchPages("GET /connections/{id}/chats", { id, q: "", limit: 100 })]),
  component: lazyRouteComponent(() => together(import("./pages/chats/chats.tsx"), CHATS), "Chats"),
});
const chat = createRoute({
  getParentRoute: () => chats,
  path: "/$chat",
  validateSearch: ({ at }): { at?: string } => (typeof at === "string" ? { at } : {}),
  component: lazyRouteComponent(() => together(import("./pages/chats/chat.tsx"), CHATS), "Chat"),
});
const waiting = createRoute({
  getParentRoute: () => connection,
  path: "/waiting",
  component: lazyRouteComponent(() => together(import("./pages/waiting/waiting-page.tsx"), CHATS), "WaitingPage"),
});
const integrations = createRoute({
  getParentRoute: () => connection,
  path: "/integrations",
  validateSearch: integrationsDialog,
  loader: connectionLoader((id) => [
    prefetch("GET /connections/{id}/webhook", { id }),
    ...forOwner(id, () => [prefetch("GET /connections/{id}/keys", { id })]),
  ]),
  component: lazyRouteComponent(() => together(import("./pages/integrations/integrations.tsx"), INTEGRATIONS), "Integrations"),
});
const confirmation = createRoute({
  getParentRoute: () => connection,
  path: "/confirmations/$confirmation",
  component: lazyRouteComponent(() => together(import("./pages/integrations/confirmation.tsx"), INTEGRATIONS, CHATS), "Confirmation"),
});
const deliveries = createRoute({
  getParentRoute: () => connection,
  path: "/deliveries",
  loader: connectionLoader((id) => [prefetch("GET /connections/{id}/webhook", { id })]),
  component: lazyRouteComponent(() => together(import("./pages/deliveries/deliveries.tsx"), DELIVERIES), "Deliveries"),
});
const delivery = createRoute({
  getParentRoute: () => deliveries,
  path: "/$delivery",
  component: lazyRouteComponent(() => import("./pages/deliveries/delivery.tsx"), "Delivery"),
});
const events = createRoute({
  getParentRoute: () => connection,
  path: "/events",
  component: lazyRouteComponent(() => together(import("./pages/events/events.tsx"), EVENTS), "Events"),
});
const logs = createRoute({
  getParentRoute: () => connection,
  path: "/logs",
  loader: connectionLoader((id) => [
    prefetch("GET /connections/{id}/logs/summary", { id }),
    prefetchPages("GET /connections/{id}/logs", { id, key: "programs" }),
  ]),
  component: lazyRouteComponent(() => together(import("./pages/logs/logs.tsx"), LOGS), "Logs"),
});
const logged = createRoute({
  getParentRoute: () => logs,
  path: "/$request",
  component: lazyRouteComponent(() => import("./pages/logs/request.tsx"), "LoggedRequest"),
});
const settings = createRoute({
  getParentRoute: () => connection,
  path: "/settings",
  component: lazyRouteComponent(() => together(import("./pages/settings/settings.tsx"), SETTINGS), "Settings"),
});
const account = createRoute({
  getParentRoute: () => inside,
  path: "/account",
  component: lazyRouteComponent(() => together(import("./pages/account/account.tsx"), ACCOUNT), "Account"),
});
const commandLine = createRoute({
  getParentRoute: () => inside,
  path: "/command-line",
  component: lazyRouteComponent(() => together(import("./pages/integrations/command-line.tsx"), INTEGRATIONS), "CommandLine"),
});
/** Only administrators see this page. Other users' browsers never load its code. */
const admin = createRoute({
  getParentRoute: () => inside,
  path: "/admin",
  beforeLoad: ({ context, location }) => {
    if (context.user.role !== "admin") throw notFound();
    if (/^\/admin\/?$/.test(location.pathname)) throw redirect({ to: "/admin/now", replace: true });
  },
  notFoundComponent: NotFound,
});
const adminNow = createRoute({
  getParentRoute: () => admin,
  path: "/now",
  component: lazyRouteComponent(() => together(import("./pages/admin/now.tsx"), ADMIN, NOW), "Now"),
});
const adminStatistics = createRoute({
  getParentRoute: () => admin,
  path: "/statistics",
  component: lazyRouteComponent(() => together(import("./pages/admin/statistics.tsx"), ADMIN), "Statistics"),
});
const adminUsers = createRoute({
  getParentRoute: () => admin,
  path: "/users",
  component: lazyRouteComponent(() => together(import("./pages/admin/users.tsx"), ADMIN), "Users"),
});
const adminInstances = createRoute({
  getParentRoute: () => admin,
  path: "/instances",
  component: lazyRouteComponent(() => together(import("./pages/admin/instances.tsx"), ADMIN), "Instances"),
});
const adminFleet = createRoute({
  getParentRoute: () => admin,
  path: "/fleet",
  component: lazyRouteComponent(() => together(import("./pages/admin/fleet.tsx"), ADMIN), "Fleet"),
});
const adminProxies = createRoute({
  getParentRoute: () => admin,
  path: "/proxies",
  component: lazyRouteComponent(() => together(import("./pages/admin/proxies.tsx"), ADMIN), "Proxies"),
});
const adminAudit = createRoute({
  getParentRoute: () => admin,
  path: "/audit",
  component: lazyRouteComponent(() => together(import("./pages/admin/audit.tsx"), ADMIN), "Audit"),
});

const adminTree = admin.addChildren([adminNow, adminStatistics, adminUsers, adminInstances, adminFleet, adminProxies, adminAudit]);
const chatsTree = chats.addChildren([chat]);
const deliveriesTree = deliveries.addChildren([delivery]);
const logsTree = logs.addChildren([logged]);
const connectionTree = connection.addChildren([
  overview,
  pair,
  chatsTree,
  waiting,
  integrations,
  confirmation,
  deliveriesTree,
  events,
  logsTree,
  settings,
]);
const insideTree = inside.addChildren([connections, connectionTree, account, commandLine, adminTree]);

export const router = createRouter({
  routeTree: root.addChildren([home, signIn, signUp, forgot, suspended, pairingLink, insideTree]),
  defaultPreload: "intent",
  // The loaders themselves decide which data is fresh.
  defaultPreloadStaleTime: 0,
  scrollRestoration: true,
  // A chat's link must match its URL exactly, so that the open chat is marked.
  pathParamsAllowedCharacters: ["@"],
  defaultErrorComponent: PageError,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
