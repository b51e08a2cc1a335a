"""Mail folders, as they were kept before there was a database."""

import os, string, time

class Folder:
    def __init__(self, path, mode = 'r'):
	self.path = path
	self.mode = mode
	self.index = {}
	if not os.path.isdir(path):
	    raise IOError, 'no such folder: ' + path
	self.load()

    def load(self):
        for name in os.listdir(self.path):
            if name[0] == '.':
                continue
            full = os.path.join(self.path, name)
            try:
                fp = open(full)
            except IOError, msg:
                print 'skipped', full, msg
                continue
            self.index[name] = self.headers(fp)
            fp.close()

    def headers(self, fp):
	found = {}
	while 1:
	    line = fp.readline()
	    if not line or line == '\n':
		break
	    if line[0] in ' \t':
		if last:
		    found[last] = found[last] + line[1:]
		continue
	    colon = string.find(line, ':')
	    last = string.lower(line[:colon])
	    found[last] = string.strip(line[colon+1:])
	return found

    def unread(self):
        names = []
        for name, headers in self.index.items():
            if headers.has_key('status'):
                if 'R' in headers['status']:
                    continue
            names.append(name)
        names.sort()
        return names

class Spool(Folder):
    def lock(self, timeout = 30):
	started = time.time()
	while os.path.exists(self.path + '.lock'):
	    if time.time() - started > timeout:
		raise IOError, 'spool is locked'
	    time.sleep(1)
	fp = open(self.path + '.lock', 'w')
	fp.write(str(os.getpid()))
	fp.close()

    def unlock(self):
        try:
            os.unlink(self.path + '.lock')
        except os.error:
            pass

    def deliver(self, message):
	self.lock()
	try:
	    number = self.next_number()
	    target = os.path.join(self.path, `number`)
	    out = open(target, 'w')
	    for key, value in message.items():
		out.write('%s: %s\n' % (key, value))
	    out.write('\n')
	    out.write(message.body)
	    out.close()
	finally:
	    self.unlock()
	return target

def main(args):
    total = 0
    for path in args:
        folder = Folder(path)
        count = len(folder.unread())
        if count:
            print '%s: %d unread' % (path, count)
        total = total + count
    return total
