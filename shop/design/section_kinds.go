package design

// Announcement is one line.
type Announcement struct {
	Text Text `json:"text" max:"200"`
	Link Link `json:"link"`
}

var _ = define[Announcement]("announcement")

// Hero is the first thing that a visitor sees. Without a picture it has a product's, and without
// a title the shop's name.
type Hero struct {
	Picture *Picture `json:"picture"`
	Title   Text     `json:"title" max:"80"`
	Text    Text     `json:"text" max:"300"`
	Button  Text     `json:"button" max:"40"`
	Link    Link     `json:"link"`
}

var _ = define[Hero]("hero")

// Collection is the beginning of a collection's products.
type Collection struct {
	Title      Text   `json:"title" max:"80"`
	Collection string `json:"collection" ref:"collection"`
	Count      int    `json:"count" max:"24"`
}

var _ = define[Collection]("collection")

// Products are products in a grid.
type Products struct {
	Title    Text     `json:"title" max:"80"`
	From     string   `json:"from" enum:"newest,bestSelling,sale,chosen"`
	Products []string `json:"products" max:"24" ref:"product"`
	Count    int      `json:"count" max:"24"`
}

var _ = define[Products]("products")

// Collections are the shop's collections, or some of them.
type Collections struct {
	Title       Text     `json:"title" max:"80"`
	Collections []string `json:"collections" max:"12" ref:"collection"`
}

var _ = define[Collections]("collections")

// PictureText is a picture with a text beside it.
type PictureText struct {
	Picture *Picture `json:"picture"`
	Side    string   `json:"side" enum:"left,right"`
	Title   Text     `json:"title" max:"80"`
	Text    Text     `json:"text" max:"1500"`
	Button  Text     `json:"button" max:"40"`
	Link    Link     `json:"link"`
}

var _ = define[PictureText]("pictureText")

// Words is a text. An empty line begins a paragraph.
type Words struct {
	Title    Text `json:"title" max:"80"`
	Text     Text `json:"text" max:"5000"`
	Centered bool `json:"centered"`
}

var _ = define[Words]("text")

// Gallery is a row of pictures.
type Gallery struct {
	Title    Text      `json:"title" max:"80"`
	Pictures []Picture `json:"pictures" max:"12"`
}

var _ = define[Gallery]("gallery")

// Video is a picture that leads to a video on another site.
type Video struct {
	Title   Text     `json:"title" max:"80"`
	Picture *Picture `json:"picture"`
	Link    Link     `json:"link"`
}

var _ = define[Video]("video")

// Questions are questions with their answers.
type Questions struct {
	Title Text       `json:"title" max:"80"`
	Items []Question `json:"items" max:"20"`
}

var _ = define[Questions]("questions")

// Question is a question with its answer.
type Question struct {
	Question Text `json:"question" max:"200"`
	Answer   Text `json:"answer" max:"1500"`
}

// Testimonials are what buyers have said. Without any, a landing page shows the reviews of its
// products.
type Testimonials struct {
	Title Text          `json:"title" max:"80"`
	Items []Testimonial `json:"items" max:"12"`
}

var _ = define[Testimonials]("testimonials")

// Testimonial is what a buyer has said.
type Testimonial struct {
	Text  Text `json:"text" max:"600"`
	Name  Text `json:"name" max:"60"`
	Place Text `json:"place" max:"60"`
}

// Promises are what buyers can rely on. Without any they follow from the shop's settings.
type Promises struct {
	Title Text      `json:"title" max:"80"`
	Items []Promise `json:"items" max:"6"`
}

var _ = define[Promises]("promises")

// Promise is what buyers can rely on.
type Promise struct {
	Icon  string `json:"icon" enum:"check,cash,truck,return,phone,leaf,hand,gift"`
	Title Text   `json:"title" max:"60"`
	Text  Text   `json:"text" max:"160"`
}

// Offer is a coupon of the shop. Pages show it while buyers can use it.
type Offer struct {
	Title  Text   `json:"title" max:"80"`
	Text   Text   `json:"text" max:"300"`
	Coupon string `json:"coupon" max:"40" ref:"coupon"`
}

var _ = define[Offer]("offer")

// Contact are the ways to reach the shop.
type Contact struct {
	Title Text `json:"title" max:"80"`
	Text  Text `json:"text" max:"500"`
}

var _ = define[Contact]("contact")

// OrderForm is the form that orders the product of a landing page.
type OrderForm struct {
	Title Text `json:"title" max:"80"`
	// Bump is a product that buyers can add by ticking a box, while a discount makes it cheaper beside
	// the products of the page.
	Bump string `json:"bump" max:"40" ref:"product"`
}

var _ = define[OrderForm]("orderForm")

// ProductFacts are the pictures and the price of the product of a landing page.
type ProductFacts struct{}

var _ = define[ProductFacts]("productFacts")
