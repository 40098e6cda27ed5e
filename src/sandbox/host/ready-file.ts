// The ready file: what a script needs to use this sandbox (docs/use/sandbox.md, "Ready file").

export type DemoCloud = { id: number; instance_id: string; name: string; phone: string; api_key: string; phone_number_id: string };

export type Ready = {
  app_url: string;
  base_url: string;
  dashboard_url: string;
  /** null with `--live`: there is no test network then. */
  network_url: string | null;
  /** The Graph API of the test network's cloud numbers; null with `--live`. */
  graph_url: string | null;
  processes: { sandbox: number; worker: number; bridge: number; network: number | null };
  admin: { email: string; password: string };
  demo: {
    email: string;
    password: string;
    api_key: string;
    connection: { id: number; instance_id: string; name: string; phone: string | null; api_key: string };
    contact: { phone: string; name: string } | null;
    /** A number of the simulated Cloud API; null with `--live`, and where an outside issuer signs people in. */
    cloud: DemoCloud | null;
  };
};
