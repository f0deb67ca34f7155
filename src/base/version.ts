// The version that every part of the program gives for itself; a test holds it against package.json.
export const VERSION = '0.2.0';
