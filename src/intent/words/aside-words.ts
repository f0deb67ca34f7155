// What people say beside a question: who is waiting, where they sit, what they were doing, how it feels. No answer makes a difference by it; the
// answer names it. A word that leaves something out, compares, or is a state of the network does not belong here.

export const ASIDE_WORDS = listOf(`
angry, annoyed, furious, upset, unhappy, frustrated, impatient, screaming, shouting, yelling, nervous, confused, waiting, desperate, not happy, not amused,
nonstop, non-stop, phone rings, phones ring, phone is ringing, phones are ringing, rings nonstop, is calling, are calling, keeps calling, keep calling, called in, on the line, on the phone,
in accounting, in finance, in sales, in marketing, in hr, in support, in the office, in the warehouse, in the building, in reception, in the branch, in the lab, in the basement, in the data center, in the datacenter, in the dc,
at home, at work, at the branch, at the office, at headquarters, from home, from the office, from headquarters, from branch office, from the branch office, from a branch office, working from home, branch office, headquarters, head office, home office,
accounting, warehouse, reception, building, office, floor, upstairs, downstairs, branch, hq, department,
lady, gentleman, guy, girl, colleague, manager, director, ceo, cto, cfo, vip, vips, tenant, tenants, subscriber, subscribers, subscription, end user, end users, staff, employee, employees, visitor, visitors, student, students, teacher, team lead, operator, operators, engineer, engineers, technician, technicians, field tech, helpdesk, help desk, service desk, servicedesk, sysadmin, admins, management,
night shift here, night shift, day shift, late shift, early shift, on shift, shift change, on call here, on duty, noc here, noc speaking, here is the noc, this is the noc,
zoom, teams, webex, skype, citrix, rdp, sap, outlook, netflix, youtube, gaming, games, game, browsing, surfing, phone calls, conference calls, conference call, video conference, video conferences, screen sharing, remote desktop, printing, printer, printers, phones, laptops, laptop, pcs, pc, computers, computer, workstation, workstations, cameras, camera, sensors, scanners, app, apps, application, applications, erp, crm, intranet, sharepoint, file share, file server, mail server, mailserver, database server, web shop, webshop, shop, portal, backend, frontend,
successful, successfully, unusual, unexpected, unexpectedly, expectedly, nasty, ugly, crazy, insane, ridiculous, horrible, dreadful, dramatic, serious, seriously, minor, major, critical, mild, noticeable, visible, considerable, significant, substantial, remarkable, dramatically, noticeably, slightly, somewhat, partially, partly, periodically, repeatedly, frequently, spontaneously, out of nowhere, out of the blue, all of a sudden, for no reason, for no apparent reason, since forever,
zabbix, nagios, icinga, icinga2, grafana, prometheus, librenms, prtg, solarwinds, checkmk, check_mk, cacti, smokeping, splunk, datadog, thousandeyes, pagerduty, opsgenie, monitoring, our monitoring, the monitoring, dashboard, noc screen, for a while, a while, critical, warning,
that helped, this helped, that worked, that was helpful, very helpful, helpful, good job, well done, nice work, great, perfect, awesome, cool, excellent, wonderful, brilliant,
kpi, approx, approximately, roughly, circa, ca, more or less, give or take, in parallel, per customer, per user, re, fwd, fw, ref, reference, prio, priority, p1 incident, p2 incident, sev1, sev2, sev3
`);

function listOf(text: string): string {
  return text.replaceAll('\n', ' ').replace(/,\s*$/, '').trim();
}
