// The YANG module `ietf-mcp` (TS-33): its text, which is served as it is, and the data of this agent under it. The draft asks for the
// namespace and gives no contents; docs/yang/ holds the same text as a file, which a test compares.
import type { JsonObject, JsonValue } from '#base/json.ts';
import { PRIVACY_LEVEL } from '#model/consent.ts';
import type { ReportSummary } from '#model/ports.ts';

export const IETF_MCP = {
  name: 'ietf-mcp',
  namespace: 'urn:ietf:params:xml:ns:yang:ietf-mcp',
  revision: '2026-11-21',
} as const;

export const IETF_MCP_URI = `network:///yang/${IETF_MCP.name}@${IETF_MCP.revision}.yang`;

export type AgentFacts = {
  readonly node: string;
  readonly port: number;
  readonly capabilities: readonly string[];
  readonly reports: readonly ReportSummary[];
};

/** RFC 7951 JSON. */
export function mcpTree({ node, port, capabilities, reports }: AgentFacts): JsonObject {
  const report = reports.map(({ id, uri, created, creator, intent, verdict, hypothesis, acknowledgedBy }) => ({
    id,
    uri,
    created,
    creator,
    intent,
    verdict,
    hypothesis,
    ...(acknowledgedBy === undefined ? {} : { 'acknowledged-by': [...acknowledgedBy] }),
  }));
  const own = { node, port, capability: [...capabilities], 'privacy-level': PRIVACY_LEVEL };
  return { 'ietf-mcp:mcp': { ...own, reports: { report } as JsonObject } satisfies Record<string, JsonValue> };
}

export const IETF_MCP_TEXT = `module ietf-mcp {
  yang-version 1.1;
  namespace "urn:ietf:params:xml:ns:yang:ietf-mcp";
  prefix mcp;

  organization
    "Parley";
  contact
    "The operator of the node.";
  description
    "What an agent says of itself and of the reports that it keeps. The namespace is the one that
     troubleshooting draft asks IANA for; the draft gives no contents, these are Parley's.";

  revision 2026-11-21 {
    description
      "First revision.";
  }

  container mcp {
    config false;
    description
      "The agent of this node.";
    leaf node {
      type string;
      description
        "Name of the node, as in its certificate.";
    }
    leaf port {
      type uint16;
      description
        "TCP port of the agent.";
    }
    leaf-list capability {
      type string;
      description
        "Names that are negotiated with other agents.";
    }
    leaf privacy-level {
      type uint8 {
        range "1..3";
      }
      description
        "Highest level of data that is given without consent.";
    }
    container reports {
      description
        "Sealed reports that this node keeps; operators and controllers see them.";
      list report {
        key "id";
        description
          "One report.";
        leaf id {
          type string;
          description
            "Identifier, the last part of the URI.";
        }
        leaf uri {
          type string;
          description
            "Resource under which the sealed report is read.";
        }
        leaf created {
          type string;
          description
            "RFC 3339, the clock of the creator.";
        }
        leaf creator {
          type string;
          description
            "Node that made it.";
        }
        leaf intent {
          type string;
          description
            "What was asked.";
        }
        leaf verdict {
          type enumeration {
            enum fault;
            enum healthy;
            enum inconclusive;
          }
          description
            "What was found.";
        }
        leaf hypothesis {
          type string;
          description
            "The structured finding as text.";
        }
        leaf-list acknowledged-by {
          type string;
          description
            "Controllers that have fetched it.";
        }
      }
    }
  }
}
`;
