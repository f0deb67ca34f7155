// A reflector that was given no question's key and monitors no link: all who probe it are strangers.
import type { Trust } from '#router/helper/probe/reflector-table.ts';

export const STRANGERS: Trust = { isProven: () => false, isNeighbour: () => false };
