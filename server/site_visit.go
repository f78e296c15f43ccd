package server

import (
	"context"
	"net/http"
	"net/url"
	"sync"
	"time"

	"storefront/shop"
	"storefront/shop/campaign"
	"storefront/site"
)

// ownCaching is for a page that all buyers share, with a cookie of one.
const ownCaching = "private, max-age=0, must-revalidate"

const (
	// visitDelay is the time for which visits are only in memory. A crash loses them.
	visitDelay = 15 * time.Second
	// visitTimeout limits storing them.
	visitTimeout = 10 * time.Second
	// maxVisitDays limits the days of shops with visits in memory. Visits of others are not counted.
	maxVisitDays = 10_000
	// maxVisitAge is the time for which visits are retried, at least.
	maxVisitAge = 24 * time.Hour
)

// visitDay is a day of a shop, such as 2026-03-01.
type visitDay struct {
	shop *shop.Shop
	day  string
}

// visitCounter counts the visits of campaigns in memory and stores many together, so that no page
// waits for a write. The zero value is ready to use.
type visitCounter struct {
	mu      sync.Mutex
	visits  map[visitDay]campaign.Visits
	waiting bool // a flush is due
	stopped bool // no flush follows
}

// countArrival counts a visit that begins with this page, and sets its cookie. It returns false if
// none does.
func (s *Server) countArrival(x *exchange, page site.Page, v site.Visit) bool {
	arrival := page.FindArrival(v, func(host string) bool { return s.isOwnHost(host, v) })
	if arrival == nil {
		return false
	}
	http.SetCookie(x, arrival.Cookie)
	zone, err := v.Shop.TimeZone(&x.deadline)
	if err != nil { // the visit is not counted, and the page is shown
		return true
	}
	s.visits.add(visitDay{v.Shop, v.Now.In(zone).Format(time.DateOnly)}, campaign.Visits{arrival.Key: 1}, s.FlushVisits)
	return true
}

// isOwnHost reports whether a host is the visited shop's, or this server's.
func (s *Server) isOwnHost(host string, v site.Visit) bool {
	if host == requestHost(v.Request) {
		return true
	}
	if own, err := url.Parse(s.cfg.PublicURL); err == nil && host == own.Hostname() {
		return true
	}
	uid, ok := s.siteOwner(host)
	return ok && uid == v.Shop.UID()
}

// add counts visits, and has flush called later.
func (c *visitCounter) add(day visitDay, visits campaign.Visits, flush func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.visits == nil {
		c.visits = map[visitDay]campaign.Visits{}
	}
	if c.visits[day] == nil {
		if len(c.visits) >= maxVisitDays {
			return
		}
		c.visits[day] = campaign.Visits{}
	}
	c.visits[day].Add(visits)
	if !c.waiting && !c.stopped {
		c.waiting = true
		time.AfterFunc(visitDelay, flush)
	}
}

// dequeue returns the visits in memory and clears them. With last, no flush follows.
func (c *visitCounter) dequeue(last bool) map[visitDay]campaign.Visits {
	c.mu.Lock()
	defer c.mu.Unlock()
	queued := c.visits
	c.visits, c.waiting, c.stopped = nil, false, c.stopped || last
	return queued
}

// FlushVisits stores the visits of campaigns that are only in memory. Serve does so from time to
// time, and before it returns.
func (s *Server) FlushVisits() { s.flushVisits(false) }

// flushVisits stores the visits in memory. If a shop cannot be written, its visits are stored
// later, unless they are older than a day: such a shop is gone.
func (s *Server) flushVisits(last bool) {
	for day, visits := range s.visits.dequeue(last) {
		ctx, cancel := context.WithTimeout(context.Background(), visitTimeout)
		err := day.shop.Campaigns.AddVisits(ctx, day.day, visits)
		cancel()
		if err == nil {
			continue
		}
		s.cfg.Logger.Warn("visits not stored", "tenant", day.shop.UID(), "error", err)
		if day.day >= s.cfg.Now().Add(-maxVisitAge).Format(time.DateOnly) {
			s.visits.add(day, visits, s.FlushVisits)
		}
	}
}
