// Rows of a table: cells as text, with node references where a node is named.

export type Rows = readonly (readonly string[])[];
