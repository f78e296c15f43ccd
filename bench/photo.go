package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"math/rand/v2"
	"net/http"
	"os"
	"time"
)

const (
	// photoUploads is how many photos are uploaded one after the other.
	photoUploads = 10
	// photoReads is the number of pages of the catalogue that buyers load in a second during it.
	photoReads = 200
)

// newPhoto returns a JPEG of 12 megapixels with the noise of a camera.
func newPhoto() ([]byte, error) {
	const width, height = 4000, 3000
	random := rand.New(rand.NewPCG(5, 6))
	img := image.NewYCbCr(image.Rect(0, 0, width, height), image.YCbCrSubsampleRatio420)
	for y := range height {
		for x := range width {
			img.Y[y*img.YStride+x] = byte((x+y)/28) + byte(random.IntN(24))
		}
	}
	for i := range img.Cb {
		img.Cb[i], img.Cr[i] = byte(100+i%40), byte(120+i/50_000)
	}
	var out bytes.Buffer
	err := jpeg.Encode(&out, img, &jpeg.Options{Quality: 85})
	return out.Bytes(), err
}

// measurePhoto measures the cost of uploading photos, and the wait of buyers during it.
func (b *bench) measurePhoto(ctx context.Context) error {
	photo, err := newPhoto()
	if err != nil {
		return err
	}
	data, err := b.newShop("photo", productCount)
	if err != nil {
		return err
	}
	key, err := createKey(ctx, b.binary, data)
	if err != nil {
		return err
	}
	p, err := b.startShop(ctx, "photo", "data-photo", nil)
	if err != nil {
		return err
	}
	upload := func() error { return uploadPhoto(ctx, p.address, key, photo) }
	reads := load{address: p.address, requests: []request{b.get(p, "/api/v1/products?limit=20")}, connections: 8, want: http.StatusOK,
		every: time.Second / photoReads}
	quiet, err := reads.run(ctx, 3*b.plan.length)
	if err != nil {
		return err
	}
	memory, err := p.memory()
	if err != nil {
		return err
	}
	used, err := p.cpuTime()
	if err != nil {
		return err
	}
	began := time.Now()
	for range photoUploads {
		if err := upload(); err != nil {
			return err
		}
	}
	elapsed := time.Since(began)
	usedNow, err := p.cpuTime()
	if err != nil {
		return err
	}
	each := (usedNow - used) / photoUploads
	peak, err := p.peakMemory()
	if err != nil {
		return err
	}
	uploading, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		for uploading.Err() == nil {
			if err := upload(); err != nil {
				ended <- err
				return
			}
		}
		ended <- nil
	}()
	meanwhile, err := reads.run(ctx, 10*b.plan.length)
	stop()
	if err = errors.Join(err, <-ended); err != nil {
		return err
	}
	busyPeak, err := p.peakMemory()
	if err != nil {
		return err
	}
	const server = "storefront"
	b.report.Measured = append(b.report.Measured,
		measured{What: "photo of 12 megapixels", Server: server, Rate: photoUploads / elapsed.Seconds(), P50: elapsed / photoUploads,
			Processor: each, Memory: peak, Bytes: len(photo)},
		measured{What: "catalogue, 200 pages a second", Server: server, Rate: quiet.perSecond(), P50: quiet.P50, P99: quiet.P99, Bytes: quiet.Bytes},
		measured{What: "the same while photos are uploaded", Server: server, Rate: meanwhile.perSecond(), P50: meanwhile.P50, P99: meanwhile.P99,
			Memory: busyPeak, Bytes: meanwhile.Bytes})
	b.report.gateAtMost("photo of 12 megapixels, time of one core", "", each.Seconds(), 1, 0.7, " s")
	b.report.gateAtMost("photo of 12 megapixels, more memory", "", float64(peak-memory)/(1<<20), 80, 60, " MiB")
	b.report.gateAtMost("catalogue while photos are uploaded, p99", "", float64(meanwhile.P99)/float64(time.Millisecond), 20, 10, " ms")
	if average, err := os.ReadFile("/proc/loadavg"); err == nil {
		b.report.note("Load of the machine at the end of the photos: " + string(bytes.TrimSpace(average)) + ".")
	}
	return b.stop(p)
}

// uploadPhoto uploads a photo to the shop. The shop processes it again even if it has it.
func uploadPhoto(ctx context.Context, address, key string, photo []byte) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+"/admin/v1/shops/"+uid+"/media", bytes.NewReader(photo))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "image/jpeg")
	r.Header.Set("Authorization", "Bearer "+key)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusCreated && response.StatusCode != http.StatusOK {
		return fmt.Errorf("upload: status %d", response.StatusCode)
	}
	return nil
}
