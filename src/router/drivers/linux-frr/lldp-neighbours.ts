// LLDP neighbours and our own TLVs from lldpcli's `json0`, the format that keeps one-element arrays. Pure parsers; the
// content is text of another device and stays text.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { bad, ok, type Result } from '#base/result.ts';
import type { Neighbour } from '#model/router/router-port.ts';
import { textOf } from './kernel/ip-command.ts';

type UnknownTlv = Neighbour['unknownTlvs'][number];

/** `lldpcli -f json0 show neighbors details`; protocols other than LLDP (CDP, …) are left out. */
export function parseNeighbours(text: string): Result<readonly Neighbour[]> {
  const rows = interfaceRows(text);
  return rows.ok ? ok(rows.value.filter((row) => textOf(row['via']) === 'LLDP').map(neighbourOf)) : rows;
}

/** `lldpcli -f json0 show interfaces details`: the organizationally specific TLVs that are sent on each port. */
export function parseLocalTlvs(
  text: string,
): Result<readonly { readonly ifname: string; readonly tlvs: readonly UnknownTlv[] }[]> {
  const rows = interfaceRows(text);
  return rows.ok
    ? ok(rows.value.map((row) => ({ ifname: textOf(row['name']) ?? '', tlvs: unknownTlvsOf(row) })))
    : rows;
}

function interfaceRows(text: string): Result<readonly JsonObject[]> {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return bad('expected JSON of lldpcli, got something else');
  }
  if (!isJsonObject(value) || value['lldp'] === undefined) return bad('expected a member lldp, got none');
  return ok(objects(value['lldp']).flatMap((entry) => objects(entry['interface'])));
}

function neighbourOf(row: JsonObject): Neighbour {
  const chassis = objects(row['chassis'])[0] ?? {};
  const port = objects(row['port'])[0] ?? {};
  const systemName = firstValue(chassis['name']);
  return {
    ifname: textOf(row['name']) ?? '',
    chassisId: firstValue(chassis['id']) ?? '',
    portId: firstValue(port['id']) ?? '',
    ...(systemName === undefined ? {} : { systemName }),
    unknownTlvs: unknownTlvsOf(row),
  };
}

/** `{"oui": "02,50,4C", "subtype": "1", "value": "0A,0B"}`; an entry of another form is left out. */
function unknownTlvsOf(row: JsonObject): readonly UnknownTlv[] {
  return objects(row['unknown-tlvs'])
    .flatMap((entry) => objects(entry['unknown-tlv']))
    .map((entry) => ({
      oui: hexOf(entry['oui']),
      subtype: Number(textOf(entry['subtype']) ?? Number.NaN),
      hex: hexOf(entry['value']),
    }))
    .filter((tlv) => tlv.oui.length === 6 && Number.isInteger(tlv.subtype));
}

function hexOf(value: JsonValue | undefined): string {
  const digits = (textOf(value) ?? '').replaceAll(',', '').toLowerCase();
  return /^(?:[0-9a-f]{2})*$/.test(digits) ? digits : '';
}

function firstValue(value: JsonValue | undefined): string | undefined {
  return textOf(objects(value)[0]?.['value']);
}

function objects(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter((entry) => isJsonObject(entry)) : [];
}
