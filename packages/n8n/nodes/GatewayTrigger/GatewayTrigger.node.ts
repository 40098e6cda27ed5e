import {
  type IDataObject,
  type IHookFunctions,
  type INodeType,
  type INodeTypeDescription,
  type IWebhookFunctions,
  type IWebhookResponseData,
  NodeConnectionTypes,
} from "n8n-workflow";
import { searchInstances } from "../Gateway/lists.ts";
import { isSigned, isWanted, readEvent, remembering } from "./deliveries.ts";
import { create, exists, filterOf, kept, remove } from "./endpoint.ts";
import { events, messageTypes } from "./generated/choices.ts";

const SIGNATURE = "x-service-signature";

export class GatewayTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: "Gateway Trigger",
    name: "gatewayTrigger",
    icon: { light: "file:../../icons/gateway.svg", dark: "file:../../icons/gateway.dark.svg" },
    group: ["trigger"],
    version: 1,
    subtitle: '={{$parameter["events"].join(", ")}}',
    description: "Starts the workflow when a WhatsApp message or another event arrives",
    defaults: { name: "Gateway Trigger" },
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: "gatewayApi", required: true }],
    webhooks: [{ name: "default", httpMethod: "POST", responseMode: "onReceived", path: "webhook" }],
    properties: [
      {
        displayName: "Instance",
        name: "instance",
        type: "resourceLocator",
        default: { mode: "list", value: "" },
        description: "The connected number. Empty: all numbers of the account.",
        modes: [
          {
            displayName: "From List",
            name: "list",
            type: "list",
            typeOptions: { searchListMethod: "searchInstances", searchable: true },
          },
          { displayName: "By ID", name: "id", type: "string" },
        ],
      },
      {
        displayName: "Events",
        name: "events",
        type: "multiOptions",
        options: events,
        default: ["message.received"],
        description: "The events that start the workflow",
      },
      {
        displayName: "Own Messages",
        name: "ownMessages",
        type: "boolean",
        default: false,
        description: "Whether a message that this number sends also starts the workflow, from the phone or from the API",
      },
      {
        displayName: "Groups",
        name: "groups",
        type: "boolean",
        default: true,
        description: "Whether messages in groups start the workflow",
      },
      {
        displayName: "Message Types",
        name: "types",
        type: "multiOptions",
        options: messageTypes,
        default: [],
        description: "The types of messages that start the workflow. Empty: all types.",
      },
    ],
  };

  methods = { listSearch: { searchInstances } };

  webhookMethods = {
    default: {
      checkExists: async function (this: IHookFunctions): Promise<boolean> {
        return await exists(this);
      },
      create: async function (this: IHookFunctions): Promise<boolean> {
        return await create(this);
      },
      delete: async function (this: IHookFunctions): Promise<boolean> {
        return await remove(this);
      },
    },
  };

  /** Checks the signature before anything else reads the body. */
  async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    const request = this.getRequestObject();
    const response = this.getResponseObject();
    const answer = (status: number): IWebhookResponseData => {
      response.status(status).end();
      return { noWebhookResponse: true };
    };
    if (request.rawBody === undefined) await request.readRawBody();
    const raw: unknown = request.rawBody;
    const data = kept(this);
    if (!Buffer.isBuffer(raw) || !isSigned(raw, request.headers[SIGNATURE], data.secret)) return answer(401);
    const event = readEvent(raw);
    if (event === null) return answer(400);
    const seen = remembering(data.seen ?? [], event.id);
    if (seen === null || !isWanted(event, filterOf(this))) return answer(200);
    data.seen = seen;
    return { workflowData: [this.helpers.returnJsonArray(event as unknown as IDataObject)] };
  }
}
