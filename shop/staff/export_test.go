package staff

// SetMaxAudit sets how many entries the audit log stores.
func (s *Staff) SetMaxAudit(n int) { s.maxAudit = n }
